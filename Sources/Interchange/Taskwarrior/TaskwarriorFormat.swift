internal import Records

/// Tasks as `task export` writes them: a JSON array of objects, or one object on each line.
///
/// A task keeps its uuid as the record's id. Of `description`, the first line with text becomes `title`, and the text
/// after it, if any, `body`; dates become RFC 3339, and those at midnight in the time zone days, if the field can hold a
/// day. A series becomes a repeating task (`TaskwarriorSeries`). Every other attribute keeps its name and value, known
/// here or not, except `id` and `urgency`, which Taskwarrior computes. A user-defined attribute with a name that Satchel uses itself
/// (`title`, `body`, `taskwarrior`) gets the prefix `taskwarrior.`.
///
/// If one entry can't be read, or is larger than a record may be (`FieldLimits`), nothing is imported.
struct TaskwarriorFormat: FormatRules {
    let format = ExchangeFormat.taskwarrior
    let days: Days

    func read(_ text: String) throws(ImportError) -> [ImportedRecord] {
        var collector = ImportCollector(format, types: types, describing: TaskwarriorEntry.reason)
        let entries = try TaskwarriorFile.entries(Array(text.utf8)).map { entry in
            entry.flatMap { TaskwarriorEntry.task($0, days) }
        }
        // `try?`: failures are reported below.
        let series = TaskwarriorSeries(entries.compactMap { try? $0.get() }, days)
        for (index, entry) in entries.enumerated() {
            let place = ImportError.Place.entry(index + 1)
            switch entry {
            case .success(let task): collector.add(series.task(task), at: place)
            case .failure(let reason): collector.refuse(at: place, reason.text)
            }
        }
        return try collector.collected()
    }

    /// Writes one task on each line, like `task export`.
    func write(_ entries: [FormatEntry]) -> ExportedDocument.Content {
        var written: [FormatEntry] = []
        var objects: [JSONObject] = []
        for entry in entries {
            guard let object = TaskwarriorEntry.attributes(of: entry, days) else { continue }
            written.append(entry)
            objects.append(object)
        }
        TaskwarriorSeries.link(&objects, of: written, days)
        let lines = objects.map(\.text)
        return .text(lines.isEmpty ? "[\n]\n" : "[\n" + lines.joined(separator: ",\n") + "\n]\n")
    }

    /// Returns the fields after writing and reading. Unlike in other formats the key doesn't matter: a record that is
    /// compared with a file has its uuid.
    func carried(_ record: Record) -> JSONObject? {
        guard let attributes = TaskwarriorEntry.attributes(of: FormatEntry(record: record, base: nil), days),
            case .success(let task) = TaskwarriorEntry.task(.object(attributes), days), isWithinLimits(task)
        else { return nil }
        // What repeats is read with its series. Other records of a series aren't in this file.
        let isRepeating = record.fields[.repeating] != nil && TaskRecord(fields: record.fields).status.isOpen
        return isRepeating ? TaskwarriorSeries([task], days).task(task).fields : task.fields
    }

    /// Returns whether the task could be imported.
    private func isWithinLimits(_ task: ImportedRecord) -> Bool {
        var collector = ImportCollector(format, types: types)
        collector.add(task, at: .whole)
        return collector.isComplete
    }
}

/// The entries of an export, in one of its forms.
enum TaskwarriorFile {
    /// Returns the entries, each parsed or with the reason why it can't be.
    ///
    /// - Throws: `ImportError` if the file as a whole can't be read.
    static func entries(_ bytes: [UInt8]) throws(ImportError) -> [Result<JSONValue, TaskwarriorEntry.Reason>] {
        // A byte order mark isn't JSON, but some editors write one.
        let bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        guard let first = bytes.first(where: { !isSpace($0) }) else {
            throw ImportError(file: "the file is empty")
        }
        return first == UInt8(ascii: "[") ? try array(bytes) : lines(bytes)
    }

    private static func array(
        _ bytes: ArraySlice<UInt8>
    ) throws(ImportError) -> [Result<JSONValue, TaskwarriorEntry.Reason>] {
        do {
            return try JSONValue(parsing: bytes).array?.map { .success($0) } ?? []
        } catch {
            throw ImportError(at: .line(of: error.offset, in: bytes), "this isn't valid JSON: \(error.reason)")
        }
    }

    private static func lines(_ bytes: ArraySlice<UInt8>) -> [Result<JSONValue, TaskwarriorEntry.Reason>] {
        bytes.split(separator: UInt8(ascii: "\n")).filter { !$0.allSatisfy(isSpace) }.map { line in
            do {
                return .success(try JSONValue(parsing: line))
            } catch {
                return .failure(TaskwarriorEntry.Reason("its line isn't valid JSON: \(error)"))
            }
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}

extension ImportError.Place {
    /// Returns the line and column of a byte in a text of UTF-8; columns are counted in Unicode scalars.
    static func line(of offset: Int, in bytes: ArraySlice<UInt8>) -> ImportError.Place {
        let before = bytes.prefix(offset)
        let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? before.startIndex
        let column = String(decoding: before[start...], as: UTF8.self).unicodeScalars.count + 1
        return .line(1 + before.count { $0 == UInt8(ascii: "\n") }, column: column)
    }
}
