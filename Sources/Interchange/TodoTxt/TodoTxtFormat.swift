internal import Records

/// Tasks in the lines of todo.txt.
///
/// Priorities are letters (H A, M B, L C), the project is written after `+`, tags after `@`, days in `due:`, `t:`
/// (wait), `scheduled:` and `until:`, intervals in `rec:`, and texts of one word in fields of any other name as
/// `name:text`. `satchel:` contains the record's id. Tokens at the end of a line are removed from the title; a project
/// or tag inside a sentence counts and stays in it.
struct TodoTxtFormat: FormatRules {
    let format = ExchangeFormat.todotxt
    let days: Days

    func write(_ entries: [FormatEntry]) -> ExportedDocument.Content {
        .text(entries.compactMap { TodoTxtWriter(entry: $0, days: days).line().map { $0.text + "\n" } }.joined())
    }

    /// Returns whether each line of a text has the id of a record, as an export writes it.
    static func isOwn(_ text: some StringProtocol) -> Bool {
        let lines = TextLines.lines(of: String(text)).filter { !$0.allSatisfy(\.isWhitespace) }
        return !lines.isEmpty && lines.allSatisfy { $0.contains(" \(TodoTxtNames.id):") }
    }

    func records(in text: String) throws(ImportError) -> ImportedRecords {
        var collector = ImportCollector(format, types: types)
        var occurrences: [String: Int] = [:]
        for (index, line) in TextLines.lines(of: text).enumerated() where !line.allSatisfy(\.isWhitespace) {
            let reader = TodoTxtReader(line: TodoTxtLine(line), days: days)
            if let fault = reader.fault(in: line) {
                collector.refuse(at: .line(index + 1, column: fault.column), fault.reason)
                continue
            }
            // Two equal lines are two tasks: the number of the occurrence is a part of a derived id.
            let occurrence = occurrences[reader.identity, default: 0]
            occurrences[reader.identity] = occurrence + 1
            collector.add(reader.record(occurrence: occurrence), at: .line(index + 1))
        }
        return try collector.collected()
    }
}

/// The lines of a text file, with any line ends.
enum TextLines {
    /// Returns the lines without their ends and the empty last one.
    static func lines(of text: String) -> [String] {
        // By bytes: "\r\n" is one `Character`, so that splitting at the `Character` "\n" would miss it.
        var lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}

/// The names of todo.txt and their fields.
enum TodoTxtNames {
    /// The fields of days, by their keys.
    static let days: [String: String] = Dictionary(
        TaskRecord.type.catalog.fields.compactMap { field in field.todoTxtKey.map { ($0, field.name) } }
    ) { first, _ in first }
    /// The key of the record's id, followed by a slash and the fingerprint of the exported state.
    static let id = "satchel"
    /// The key of a completed task's priority, which has no letter at the beginning of the line.
    static let priority = "pri"
    /// The key of a status that is neither pending nor completed.
    static let status = FieldKey.status.name
    /// The key of the interval at which a task repeats, as other programs write it: `rec:+1w`.
    static let interval = "rec"
    /// The field that stores a letter beyond C.
    static let letterField = "todotxt.priority"
    /// The field that stores all projects but the first.
    static let projectsField = "todotxt.projects"

    /// Names that aren't keys of unknown fields: fields that are written in another way or not at all, and keys with a
    /// meaning.
    static let reserved: Set<String> = {
        let fields = TaskRecord.type.catalog.fields.filter { $0.todoTxtKey != nil || placed.contains($0.name) }
        return Set(fields.map(\.name)).union(days.keys)
            .union(["taskwarrior", id, priority, letterField, projectsField])
    }()

    /// The fields that a line represents in another way than by a pair, and those that it can't represent.
    private static let placed: Set = [
        FieldKey.title.name, FieldKey.body.name, FieldKey.project.name, FieldKey.priority.name, FieldKey.tags.name,
        FieldKey.status.name, FieldKey.entry.name, FieldKey.end.name, FieldKey.annotations.name,
    ]

    /// Returns the priority of a letter: A to C are high, medium and low, later letters also low.
    static func priority(of letter: String) -> String { ["A": "H", "B": "M"][letter] ?? "L" }

    /// Returns the letter of a priority; of a low one the stored letter, if there is one.
    static func letter(of priority: String, remembered: String?) -> String? {
        switch priority {
        case "H": "A"
        case "M": "B"
        case "L": remembered.flatMap { isLetter($0) && $0 > "C" ? $0 : nil } ?? "C"
        default: nil
        }
    }

    /// Returns whether a text is a letter from A to Z.
    static func isLetter(_ text: String) -> Bool { text.utf8.count == 1 && ("A"..."Z").contains(text) }
}
