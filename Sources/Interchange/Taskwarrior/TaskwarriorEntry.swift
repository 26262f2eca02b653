internal import Records

/// Converts between an object of Taskwarrior's export and a task.
enum TaskwarriorEntry {
    private static let collection = TaskRecord.type.collection
    /// Attributes that are read separately, and those that Taskwarrior computes.
    static let readApart = ["uuid", "description", "id", "urgency", base]
    static let dates: [String: FieldKind] = Dictionary(
        TaskRecord.type.catalog.fields.filter { $0.kind.isDate && $0.place != .hidden }.map { ($0.name, $0.kind) }
    ) { first, _ in first }
    /// The attributes of Taskwarrior that have dates. Another attribute with the name of one of our date fields is
    /// user-defined and may have any value.
    private static let theirDates: Set = [
        "due", "end", "entry", "modified", "scheduled", "start", "until", "wait",
    ]
    static let ours = [FieldKey.title.name, FieldKey.body.name, FieldKey<[String]>.formerTitles.name, ImportMark.field]
    /// The attribute with the fingerprint of the exported state.
    static let base = "satchel"

    static func task(_ entry: JSONValue, _ days: Days) -> Result<ImportedRecord, Reason> {
        Result { () throws(Reason) in
            guard let attributes = entry.object else { throw Reason("it isn't a JSON object") }
            let key = RecordKey(collection: collection, id: try uuid(attributes["uuid"]))
            var fields = JSONObject()
            (fields[FieldKey.title.name], fields[FieldKey.body.name]) = try texts(attributes["description"])
            for (name, value) in attributes where !readApart.contains(name) && !value.isNull {
                let (field, converted) = try convert(name, value, days)
                fields[field] = converted
            }
            // An export of ours writes both; the rule is the exact one. An object with a mask or a parent belongs to a
            // series of Taskwarrior.
            let recur = TaskwarriorSeries.recur
            if fields["parent"] == nil, fields["mask"] == nil, fields[.status] != .recurring,
                let rule = fields[.repeating]?.taskwarrior, fields[recur]?.string == rule
            {
                fields[recur] = nil
            }
            return ImportedRecord(key: key, fields: fields, base: attributes[base]?.string)
        }
    }

    /// Returns the title and the body of a description: its first line with text, and all text after it.
    private static func texts(_ description: JSONValue?) throws(Reason) -> (title: JSONValue, body: JSONValue?) {
        guard let description, !description.isNull else { throw Reason("it has no description") }
        guard let text = description.string, let start = text.firstIndex(where: { !$0.isWhitespace }) else {
            throw Reason("its description is empty or not a text")
        }
        guard text.hasNewline else { return (description, nil) }
        let begin = text[..<start].lastIndex(where: \.isNewline).map { text.index(after: $0) } ?? text.startIndex
        guard let end = text[start...].firstIndex(where: \.isNewline) else {
            return (.string(String(text[begin...])), nil)
        }
        let body = text[text.index(after: end)...]
        return (.string(String(text[begin..<end])), body.isEmpty ? nil : .string(String(body)))
    }

    private static func uuid(_ value: JSONValue?) throws(Reason) -> String {
        guard let text = value?.string else { throw Reason("it has no uuid") }
        guard UUIDText.isValid(text) else { throw Reason("its uuid “\(text)” isn't valid") }
        // Ids are compared byte by byte, and Satchel writes UUIDs in lower case.
        return text.lowercased()
    }

    private static func convert(_ name: String, _ value: JSONValue, _ days: Days) throws(Reason) -> (String, JSONValue)
    {
        switch name {
        case "tags":
            guard let tags = value.array, tags.allSatisfy({ $0.string != nil }) else {
                throw Reason("its tags are not a list of texts")
            }
            return (name, value)
        case "annotations": return (name, try annotations(value))
        case _ where ours.contains(name): return ("\(ImportMark.field).\(name)", value)
        default: break
        }
        guard let kind = dates[name] else { return (name, value) }
        guard let time = moment(value) else {
            if !theirDates.contains(name) { return ("\(ImportMark.field).\(name)", value) }
            throw noDate(value, named: name)
        }
        if case .date = kind { return (name, .string(days.wholeDay(time).description)) }
        return (name, .string(time.description))
    }

    private static func annotations(_ value: JSONValue) throws(Reason) -> JSONValue {
        guard let elements = value.array else { throw Reason("its annotations are not a list") }
        var annotations: [JSONValue] = []
        for element in elements {
            guard var annotation = element.object, let entry = annotation["entry"],
                annotation["description"]?.string != nil
            else { throw Reason("an annotation lacks its entry or its description") }
            guard let time = moment(entry) else { throw noDate(entry, named: "annotation's entry") }
            annotation["entry"] = .string(time.description)
            annotations.append(.object(annotation))
        }
        return .array(annotations)
    }

    private static func noDate(_ value: JSONValue, named name: String) -> Reason {
        Reason("its \(name) \(value.text) isn't a date")
    }

    /// Returns the time of `20241022T233747Z` or RFC 3339; nil for any other value.
    private static func moment(_ value: JSONValue) -> Timestamp? {
        value.string.flatMap { Timestamp(compact: $0) ?? Timestamp($0) }
    }

    /// The reason why an entry can't be imported.
    struct Reason: Error {
        let text: String
        init(_ text: String) { self.text = text }
    }

    /// Returns the reason of a field beyond its limit, with the name of its attribute.
    static func reason(of invalid: InvalidField) -> String {
        let name =
            switch invalid.field {
            case "title": "description's first line"
            case "body": "description"
            default: invalid.field
            }
        return switch invalid.reason {
        case .empty: "its \(name) is empty"
        case .severalLines: "its \(name) has several lines"
        case .tooLong(let bytes, let limit): "its \(name) has \(bytes) bytes where \(limit) are allowed"
        case .wrongKind(let accepted): "its \(name) isn't \(accepted)"
        }
    }
}

extension TaskwarriorEntry {
    /// Returns the object of an export that becomes this record when it is read; nil if there is none.
    static func attributes(of entry: FormatEntry, _ days: Days) -> JSONObject? {
        let (key, stored) = (entry.record.key, entry.record.fields)
        let fields = TaskwarriorSeries.written(stored, days)
        guard key.collection == TaskRecord.type.collection, UUIDText.isValid(key.id), let title = fields[.title] else {
            return nil
        }
        var attributes: JSONObject = ["uuid": .string(key.id)]
        attributes["description"] = .string(fields[.body].map { "\(title)\n\($0)" } ?? title)
        for (name, value) in fields where !ours.contains(name) {
            if let (attribute, value) = attribute(name, value, days) { attributes[attribute] = value }
        }
        if let recurrence = recurrence(of: fields) { attributes[TaskwarriorSeries.recur] = .string(recurrence) }
        // The mark already recognises an unchanged record, so that a file from Taskwarrior is reproduced without our
        // attribute.
        attributes[base] = isAsImported(stored) ? nil : entry.base.map(JSONValue.string)
        return attributes
    }

    /// Returns Taskwarrior's interval of an open task that repeats; nil if the task has one of its own already, or if
    /// Taskwarrior has none for the rule.
    private static func recurrence(of fields: JSONObject) -> String? {
        let status = fields[.status] ?? .pending
        guard status == .pending, fields[.due] != nil, fields[TaskwarriorSeries.recur] == nil, fields["parent"] == nil
        else {
            return nil
        }
        return fields[.repeating]?.taskwarrior
    }

    private static func attribute(
        _ name: String, _ value: JSONValue, _ days: Days
    ) -> (name: String, value: JSONValue)? {
        switch name {
        case "tags": return (name, value)
        case "annotations": return annotations(compact: value, days).map { (name, $0) }
        case _ where dates[name] != nil: return compact(value, days).map { (name, $0) }
        case _ where readApart.contains(name): return nil
        default:
            let theirs =
                name.hasPrefix(ImportMark.field + ".") ? String(name.dropFirst(ImportMark.field.count + 1)) : nil
            // A user-defined attribute that was renamed on import gets its name back.
            let isRenamed = theirs.map { ours.contains($0) || dates[$0] != nil } ?? false
            return (isRenamed ? theirs ?? name : name, value)
        }
    }

    private static func annotations(compact value: JSONValue, _ days: Days) -> JSONValue? {
        guard let elements = value.array else { return nil }
        return .array(
            elements.compactMap { element in
                guard var annotation = element.object, let entry = annotation["entry"].flatMap({ compact($0, days) })
                else {
                    return nil
                }
                annotation["entry"] = entry
                return .object(annotation)
            })
    }

    /// Returns `20241022T233747Z`, which `task` reads with any settings.
    private static func compact(_ value: JSONValue, _ days: Days) -> JSONValue? {
        guard let date = DateValue.read(value) else { return nil }
        return .string(days.start(of: date).description.filter { $0 != "-" && $0 != ":" })
    }

    /// Returns whether the record is unchanged since Taskwarrior exported it; then its mark is all that an import
    /// needs.
    private static func isAsImported(_ fields: JSONObject) -> Bool {
        let seen = ImportMark(in: fields, of: .taskwarrior)
        return !seen.isEmpty
            && fields.allSatisfy { $0.name == ImportMark.field || seen.holds($0.name, $0.value) }
            && seen.names.allSatisfy { fields[$0] != nil }
    }
}
