internal import LocalStore
internal import Records
internal import TextMerge

extension Notebook.Transaction {
    /// Returns the text to be edited: the record's present text with both versions of the lines in conflict between
    /// markers. If these lines are unknown, both values, with the lines that differ between markers.
    func text(of conflict: ConflictRecord) throws -> ConflictText {
        let found = conflict.conflict
        let merged = try record(conflict.record).flatMap { record -> String? in
            guard found.kept == .both, !record.deleted, let text = record.fields[found.field]?.string else {
                return nil
            }
            if !found.isOvertaken(in: record) || found.marked(in: text) != nil { return text }
            return found.lines?.marked(in: text)
        }
        return ConflictText(
            conflict: conflict.id, field: found.field,
            isBody: found.field == types[conflict.record.collection].body.name, text: merged ?? found.markedText)
    }
}

extension FieldConflict {
    /// Both values as one text. The lines that differ are between the markers that a merge uses.
    var markedText: String {
        let (old, new) = (earlier.value?.displayText ?? "", later.value?.displayText ?? "")
        var (lines, removed, added): ([String], [String], [String]) = ([], [], [])
        func close() {
            if removed.isEmpty, added.isEmpty { return }
            // Between lines that end with CRLF, the markers do, too.
            let end = (removed + added).allSatisfy { $0.utf8.last == UInt8(ascii: "\r") } ? "\r" : ""
            lines += ["<<<<<<< earlier" + end] + removed + ["=======" + end] + added + [">>>>>>> later" + end]
            (removed, added) = ([], [])
        }
        for line in UnifiedDiff(from: old, to: new, context: nil).lines {
            switch line {
            case .removed(let text): removed.append(text)
            case .added(let text): added.append(text)
            case .same(let text):
                close()
                lines.append(text)
            case .skipped: break
            }
        }
        close()
        return lines.joined(separator: "\n") + (old.hasSuffix("\n") || new.hasSuffix("\n") ? "\n" : "")
    }

    /// Returns the value of a typed text for this field; nil: the text is empty, which removes the field.
    ///
    /// A line end after the last line isn't part of the value, unless one of the two values has one. Dates are parsed
    /// as everywhere. If one of the values isn't a text, the typed text must be JSON.
    ///
    /// - Throws: ``NotebookError/valueIsNotJSON(field:)``, `InputError`.
    func value(typed: String, dates: DateExpression.Context) throws -> JSONValue? {
        let values = [earlier.value, later.value].compactMap(\.self)
        let endsLines = values.contains { $0.string?.hasSuffix("\n") ?? false }
        let text = endsLines ? typed : typed.withoutLastLineEnd
        if text.isEmpty { return nil }
        if values.allSatisfy({ $0.string != nil }) {
            return .string(values.allSatisfy(\.isDate) ? try Self.date(text, dates) : text)
        }
        // Every error has the same cause for the user: the text isn't JSON.
        guard let value = try? JSONValue(parsing: text), !value.isNull else {
            throw NotebookError.valueIsNotJSON(field: field)
        }
        return value
    }

    private static func date(_ text: String, _ dates: DateExpression.Context) throws -> String {
        if let date = DateValue(text) { return date.description }
        do {
            return try DateExpression(text, in: dates, past: .nextDay).value.description
        } catch { throw InputError.date(error) }
    }
}

extension String {
    /// The text without the line feed that editors add after the last line.
    var withoutLastLineEnd: String { hasSuffix("\n") ? String(dropLast()) : self }
}

extension JSONValue {
    /// Whether it is a day or a time as text.
    fileprivate var isDate: Bool { string.map { DateValue($0) != nil } ?? false }
}
