internal import TOMLKit

/// A parsed TOML 1.0 document (toml.io): its values, each with the line of its key.
public struct TOMLDocument: Sendable, Equatable {
    /// The values of the document, with their lines, sorted by line.
    public let entries: [Entry]

    /// A value with its name.
    public struct Entry: Sendable, Equatable {
        /// The names of the tables around it, then its own: `["aliases", "urgent"]`.
        public let path: [String]
        /// The value.
        public let value: Value
        /// The line on which it begins, from 1; nil: unknown.
        public let line: Int?

        /// Creates an entry.
        public init(path: [String], value: Value, line: Int?) {
            (self.path, self.value, self.line) = (path, value, line)
        }
    }

    /// A value.
    public indirect enum Value: Sendable, Equatable {
        /// A text.
        case text(String)
        /// A whole number.
        case integer(Int)
        /// True or false.
        case flag(Bool)
        /// Several values.
        case array([Value])
        /// A value of another kind, with the name of the kind: `date`.
        case other(String)
    }

    /// A document that isn't valid.
    public struct SyntaxError: Error, Equatable {
        /// The line of the error, from 1.
        public let line: Int
        /// The column of the error, from 1.
        public let column: Int
        /// What is wrong.
        public let reason: String
    }

    /// The maximum depth of tables and arrays, and the maximum number of names in a dotted key.
    private static let depth = 16

    /// Parses a document. Neither it nor a text in it may contain NUL, at which TOMLKit would end it.
    ///
    /// - Throws: ``SyntaxError``.
    public init(_ text: String) throws(SyntaxError) {
        let lines = try TOMLScan.lines(of: text, maximumNames: Self.depth)
        let table: TOMLTable
        do { table = try TOMLTable(string: text) } catch let error as TOMLParseError {
            throw SyntaxError(
                line: error.source.begin.line, column: error.source.begin.column, reason: error.description)
        } catch {
            throw SyntaxError(line: 1, column: 1, reason: "the text can't be read")
        }
        // By name where lines are equal, so that the order doesn't depend on the library.
        entries = Self.entries(of: table, at: [], lines, depth: Self.depth).sorted {
            ($0.line ?? .max, $0.path.joined(separator: ".")) < ($1.line ?? .max, $1.path.joined(separator: "."))
        }
    }

    private static func entries(
        of table: TOMLTable, at path: [String], _ lines: [[String]: Int], depth: Int
    ) -> [Entry] {
        table.keys.flatMap { key -> [Entry] in
            let inner = path + [key]
            guard let value = table[key] else { return [] }
            if let table = value.table, depth > 0 {
                return entries(of: table, at: inner, lines, depth: depth - 1)
            }
            return [Entry(path: inner, value: Self.value(value, depth: depth), line: line(of: inner, lines))]
        }
    }

    /// Returns the line of a key, or of the nearest table around it; nil: neither has one.
    private static func line(of path: [String], _ lines: [[String]: Int]) -> Int? {
        // A key in an inline table has the line of the table.
        for count in stride(from: path.count, to: 0, by: -1) {
            if let line = lines[Array(path.prefix(count))] { return line }
        }
        return nil
    }

    private static func value(_ value: any TOMLValueConvertible, depth: Int) -> Value {
        if let text = value.string { return .text(text) }
        if let integer = value.int { return .integer(integer) }
        if let flag = value.bool { return .flag(flag) }
        if let array = value.array, depth > 0 { return .array(array.map { Self.value($0, depth: depth - 1) }) }
        return .other(value.type.description)
    }
}
