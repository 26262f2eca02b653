public import ControllerKit
internal import TextMerge

/// A state as rows with named columns, of which a program chooses some: `list --plain --columns id,due`.
public struct PlainTable: Sendable {
    private let columns: [String]
    private let count: Int
    private let cell: @Sendable (_ row: Int, _ column: String) -> String
    private let note: String?
    /// Other names of columns that are accepted.
    private var otherNames: [String: String] = [:]

    /// Creates a table of rows.
    ///
    /// - Parameters:
    ///   - columns: The names of all columns, in the order of the cells.
    ///   - rows: The cells of each row.
    ///   - note: A message for the user in addition to the data; nil: none.
    public init(columns: [String], rows: [[String]], note: String? = nil) {
        let places = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($0.element, $0.offset) })
        self.init(columns: columns, count: rows.count, note: note) { row, column in
            places[column].map { rows[row][$0] } ?? ""
        }
    }

    /// Creates a table.
    ///
    /// - Parameters:
    ///   - columns: The names of all columns.
    ///   - count: The number of rows.
    ///   - note: A message for the user in addition to the data; nil: none.
    ///   - otherNames: Other names of columns that are accepted, with the name that each means.
    ///   - cell: Returns the text in a row and a column.
    public init(
        columns: [String], count: Int, note: String? = nil, otherNames: [String: String] = [:],
        cell: @escaping @Sendable (_ row: Int, _ column: String) -> String
    ) {
        (self.columns, self.count, self.note, self.cell) = (columns, count, note, cell)
        self.otherNames = otherNames
    }

    /// The rows with all columns.
    public var answer: PlainAnswer { rows(columns) }

    /// Returns the rows with these columns.
    ///
    /// - Throws: `Failure` of category `usage` for an unknown column; it suggests a name and lists all.
    public func selecting(_ names: [String]) throws(Failure) -> PlainAnswer {
        let names = names.map { columns.contains($0) ? $0 : otherNames[$0] ?? $0 }
        if let unknown = names.first(where: { !columns.contains($0) }) {
            let nearest = Suggestion.nearest(unknown, among: columns.sorted())
            throw Failure(
                .usage,
                "Unknown column “\(unknown)”." + (nearest.map { " Did you mean “\($0)”?" } ?? "")
                    + " Columns: \(columns.joined(separator: ", ")).")
        }
        return rows(names)
    }

    private func rows(_ names: [String]) -> PlainAnswer {
        PlainAnswer(rows: (0..<count).map { row in names.map { cell(row, $0) } }, note: note)
    }
}
