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

    /// Checks all entries, and parses each again when it is read: the text and the ids are in memory, and of the tasks
    /// of a series what decides about it.
    func records(in text: String) throws(ImportError) -> ImportedRecords {
        var collector = makeCollector()
        let none = TaskwarriorSeries([], days)
        var parts: [ImportedRecord] = []
        let file = try TaskwarriorFile(text) { index, entry in
            let converted = task(of: entry)
            check(converted, at: index, in: none, &collector)
            if case .success(let task) = converted, let part = TaskwarriorSeries.part(task) { parts.append(part) }
        }
        let series = parts.isEmpty ? none : TaskwarriorSeries(parts, days)
        if !parts.isEmpty {
            // Again, since a series may change the fields of its tasks, and the file may have its template at the end.
            collector = makeCollector()
            for index in 0..<file.count { check(task(of: file.entry(at: index)), at: index, in: series, &collector) }
        }
        try collector.finish()
        return ImportedRecords(count: file.count) { (index: Int) throws(ImportError) -> ImportedRecord in
            switch task(of: file.entry(at: index)) {
            case .success(let task): return series.task(task)
            case .failure(let reason): throw ImportError(at: Self.place(index), reason.text)
            }
        }
    }

    private func makeCollector() -> ImportCollector {
        ImportCollector(format, types: types, describing: TaskwarriorEntry.reason)
    }

    private func task(of entry: TaskwarriorFile.Entry) -> Result<ImportedRecord, TaskwarriorEntry.Reason> {
        entry.flatMap { TaskwarriorEntry.task($0, days) }
    }

    private func check(
        _ task: Result<ImportedRecord, TaskwarriorEntry.Reason>, at index: Int, in series: TaskwarriorSeries,
        _ collector: inout ImportCollector
    ) {
        switch task {
        case .success(let task): collector.check(series.task(task), at: Self.place(index))
        case .failure(let reason): collector.refuse(at: Self.place(index), reason.text)
        }
    }

    private static func place(_ index: Int) -> ImportError.Place { .entry(index + 1) }

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
        return collector.check(task, at: .whole)
    }
}

/// The entries of an export, in one of its forms. Only the text is in memory: each entry is parsed when it is read.
struct TaskwarriorFile: Sendable {
    /// An entry, or the reason why it can't be parsed.
    typealias Entry = Result<JSONValue, TaskwarriorEntry.Reason>

    private let pieces: JSONPieces

    /// Finds the entries of a text, and passes each to `body` with its index.
    ///
    /// - Throws: `ImportError` if the file as a whole can't be read. Entries before the error were passed to `body`.
    init(_ text: String, _ body: (_ index: Int, _ entry: Entry) -> Void) throws(ImportError) {
        guard let first = text.utf8.first(where: { !$0.isJSONSpace }) else {
            throw ImportError(file: "the file is empty")
        }
        let places =
            first == UInt8(ascii: "[")
            ? try text.withBytes { Self.array($0, body) }.get() : text.withBytes { Self.lines($0, body) }
        pieces = JSONPieces(text, places)
    }

    /// The number of entries.
    var count: Int { pieces.count }

    /// Returns an entry by its index.
    func entry(at index: Int) -> Entry { Self.entry(pieces.value(at: index)) }

    private static func array(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (_ index: Int, _ entry: Entry) -> Void
    ) -> Result<[Range<Int>], ImportError> {
        var places: [Range<Int>] = []
        do throws(JSONError) {
            try JSONValue.parseElements(of: bytes) { element, place in
                body(places.count, .success(element))
                places.append(place)
            }
        } catch {
            return .failure(ImportError(error, in: bytes, "this"))
        }
        return .success(places)
    }

    private static func lines(
        _ bytes: UnsafeBufferPointer<UInt8>, _ body: (_ index: Int, _ entry: Entry) -> Void
    ) -> [Range<Int>] {
        let lines = bytes.split(separator: UInt8(ascii: "\n")).filter { !$0.allSatisfy(\.isJSONSpace) }
        for (index, line) in lines.enumerated() {
            body(index, entry(Result { () throws(JSONError) -> JSONValue in try JSONValue(parsing: line) }))
        }
        return lines.map { $0.startIndex..<$0.endIndex }
    }

    private static func entry(_ value: Result<JSONValue, JSONError>) -> Entry {
        value.mapError { TaskwarriorEntry.Reason("its line isn't valid JSON: \($0)") }
    }
}
