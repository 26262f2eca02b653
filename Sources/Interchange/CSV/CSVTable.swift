internal import Records

/// A table in the form of RFC 4180: cells separated by commas, quoted if necessary, rows ended by CR LF.
struct CSVTable: Equatable {
    /// A row and the line at which it begins, counted from 1.
    struct Row: Equatable {
        let line: Int
        var cells: [String]
    }

    var rows: [Row] = []

    init(_ rows: [Row]) { self.rows = rows }

    /// Parses a table. It also accepts single line feeds, and semicolons or tabs if the first line contains those and
    /// no comma. Empty lines are omitted.
    ///
    /// - Throws: `ImportError` at the first place that can't be read.
    init(parsing text: String) throws(ImportError) {
        var parser = CSVParser(text)
        rows = try parser.rows()
    }

    /// Returns the table's text; every row ends with CR LF.
    static func text(of rows: [[String]]) -> String {
        rows.map { $0.map(quoted).joined(separator: ",") + "\r\n" }.joined()
    }

    private static func quoted(_ cell: String) -> String {
        let scalars = cell.unicodeScalars
        let isPlain =
            // All three separators are quoted, since a reader guesses the separator from the first line.
            scalars.allSatisfy { !["\"", ",", ";", "\t", "\r", "\n"].contains($0) } && scalars.first != " "
            && scalars.last != " "
        if isPlain { return cell }
        var text = "\"".unicodeScalars
        for scalar in scalars {
            if scalar == "\"" { text.append(scalar) }
            text.append(scalar)
        }
        text.append("\"")
        return String(text)
    }
}

private struct CSVParser {
    // Scalars, since "\r\n" is one `Character`.
    private let scalars: [Unicode.Scalar]
    private let separator: Unicode.Scalar
    private var position = 0
    private var line = 1
    /// The position at which the line begins.
    private var start = 0

    init(_ text: String) {
        let scalars = Array(text.unicodeScalars)
        let first = scalars.prefix { $0 != "\n" && $0 != "\r" }
        // Spreadsheets write semicolons in locales with a decimal comma.
        let used = [",", ";", "\t"].first { first.contains($0) }
        self.scalars = scalars
        separator = used ?? ","
    }

    mutating func rows() throws(ImportError) -> [CSVTable.Row] {
        var rows: [CSVTable.Row] = []
        while position < scalars.count {
            let row = try row()
            if row.cells != [""] { rows.append(row) }
        }
        return rows
    }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func row() throws(ImportError) -> CSVTable.Row {
        var row = CSVTable.Row(line: line, cells: [try cell()])
        while next == separator {
            position += 1
            row.cells.append(try cell())
        }
        readLineEnd()
        return row
    }

    private mutating func cell() throws(ImportError) -> String {
        if next == "\"" { return try quotedCell() }
        var cell = String.UnicodeScalarView()
        while let scalar = next, scalar != separator, !isLineEnd {
            if scalar == "\"" {
                throw error("a quote is inside a cell; a cell that contains quotes must be quoted")
            }
            cell.append(scalar)
            position += 1
        }
        return String(cell)
    }

    private mutating func quotedCell() throws(ImportError) -> String {
        let opening = place
        var cell = String.UnicodeScalarView()
        position += 1
        while let scalar = next {
            if scalar == "\"" {
                position += 1
                guard next == "\"" else {
                    if next == nil || next == separator || isLineEnd { return String(cell) }
                    throw error("there is text between a closing quote and the end of its cell")
                }
            }
            cell.append(scalar)
            advance()
        }
        throw ImportError(at: opening, "this quote is never closed")
    }

    private var isLineEnd: Bool {
        next == "\n" || (next == "\r" && (position + 1 == scalars.count || scalars[position + 1] == "\n"))
    }

    private mutating func readLineEnd() {
        if next == "\r" { position += 1 }
        if next == "\n" { advance() }
    }

    private mutating func advance() {
        position += 1
        guard scalars[position - 1] == "\n" else { return }
        line += 1
        start = position
    }

    private var place: ImportError.Place { .line(line, column: position - start + 1) }

    private func error(_ reason: String) -> ImportError { ImportError(at: place, reason) }
}
