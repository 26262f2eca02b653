internal import Records

/// Tasks as `task export` writes them: a JSON array of objects, or one object a line.
///
/// A task keeps its uuid as the record's id. Of `description`, the first line with text becomes `title`, and the text
/// after it, if any, `body`; dates become RFC 3339. Every other attribute keeps its name and value, known here or not,
/// except `id` and `urgency`, which Taskwarrior computes. A user-defined attribute with a name that Satchel uses
/// itself (`title`, `body`, `taskwarrior`) gets the prefix `taskwarrior.`.
///
/// All or nothing: one entry that can't be read, or is larger than a record may be (`FieldLimits`), and nothing is imported.
struct TaskwarriorFormat: FormatRules {
    let format = ExchangeFormat.taskwarrior

    func read(_ text: String) throws(ImportError) -> [ImportedRecord] {
        var collector = ImportCollector(format)
        for (index, entry) in try TaskwarriorFile.entries(Array(text.utf8)).enumerated() {
            let place = ImportError.Place.entry(index + 1)
            switch entry.flatMap(TaskwarriorEntry.task) {
            case .success(let task): collector.take(task, at: place)
            case .failure(let reason): collector.refuse(at: place, reason.text)
            }
        }
        return try collector.collected()
    }

    /// As `task export` has it: a task on a line.
    func write(_ entries: [FormatEntry]) -> ExportedDocument.Content {
        let lines = entries.compactMap { TaskwarriorEntry.attributes(of: $0)?.text }
        return .text(lines.isEmpty ? "[\n]\n" : "[\n" + lines.joined(separator: ",\n") + "\n]\n")
    }

    /// Unlike in other formats the key doesn't matter: what is compared with a file has its uuid.
    func carried(_ record: Record) -> JSONObject? {
        guard let attributes = TaskwarriorEntry.attributes(of: FormatEntry(record: record, base: nil)),
            case .success(let task) = TaskwarriorEntry.task(.object(attributes))
        else { return nil }
        return task.fields
    }
}
