internal import Records

/// Tasks in the lines of todo.txt.
///
/// Priorities are letters (H A, M B, L C), the project is written after `+`, tags after `@`, days in `due:`, `t:`
/// (wait), `scheduled:` and `until:`, and texts of one word in fields of any other name as `name:text`. `satchel:`
/// names the record. Tokens at the end of a line are removed from the title; a project or tag inside a sentence counts
/// and stays in it.
struct TodoTxtFormat: FormatRules {
    let format = ExchangeFormat.todotxt
    let days: Days

    func write(_ entries: [FormatEntry]) -> ExportedDocument.Content {
        .text(entries.compactMap { TodoTxtWriter(entry: $0, days: days).line().map { $0.text + "\n" } }.joined())
    }

    func read(_ text: String) throws(ImportError) -> [ImportedRecord] {
        var collector = ImportCollector(format)
        var occurrences: [String: Int] = [:]
        for (index, line) in TextLines.lines(of: text).enumerated() where !line.allSatisfy(\.isWhitespace) {
            let reader = TodoTxtReader(line: TodoTxtLine(line), days: days)
            if let fault = reader.fault(in: line) {
                collector.refuse(at: .line(index + 1, column: fault.column), fault.reason)
                continue
            }
            // The same line twice means two tasks.
            let occurrence = occurrences[reader.identity, default: 0]
            occurrences[reader.identity] = occurrence + 1
            collector.take(reader.record(occurrence: occurrence), at: .line(index + 1))
        }
        return try collector.collected()
    }
}

/// The lines of a text file, whichever way they end.
enum TextLines {
    /// The lines without their ends, a byte order mark and the empty last one.
    static func lines(of text: String) -> [String] {
        let bytes = text.utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? text.utf8.dropFirst(3) : text.utf8[...]
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }
}
