internal import Records

/// Creates a record from a row.
struct CSVRowReader {
    private let row: CSVTable.Row
    private let columns: [String]
    private let cells: [String: String]
    private let days: Days
    private let types: RecordTypes

    init(row: CSVTable.Row, columns: [String], days: Days, types: RecordTypes) {
        self.row = row
        self.columns = columns
        self.days = days
        self.types = types
        cells = Dictionary(zip(columns, row.cells.map(CSVCell.unguarded))) { first, _ in first }
    }

    /// The text that identifies a row without an id.
    var identity: String {
        ["collection", FieldKey.title.name, FieldKey.entry.name].map { cells[$0] ?? "" }.joined(separator: "\n")
    }

    /// Returns the record.
    ///
    /// - Parameter occurrence: The number of rows before it with the same identity.
    /// - Throws: `ImportError` if the row is invalid.
    func record(occurrence: Int) throws(ImportError) -> ImportedRecord {
        guard row.cells.count == columns.count else {
            throw error(
                "the row has \(row.cells.count.counted("cell")) and the table \(columns.count.counted("column")); put a "
                    + "cell that contains a comma in quotes")
        }
        let collection = text("collection") ?? types.listed.first ?? TaskRecord.type.collection
        let id = text("id") ?? UUIDText.derived(from: ["csv", identity, "\(occurrence)"])
        let key = RecordKey(collection: collection, id: id)
        // Conflicts are created by merges only.
        guard RecordKey.isCollection(collection), collection != ConflictRecord.type.collection else {
            throw error(
                "“\(collection)” isn't a record type; use \(types.listed.joined(separator: " or "))",
                in: "collection")
        }
        guard key.isValid else { throw error("“\(id)” can't be an id; leave it empty for a new one", in: "id") }
        return ImportedRecord(key: key, fields: try fields(types.catalog(for: collection)), base: text("base"))
    }

    private func fields(_ catalog: FieldCatalog) throws(ImportError) -> JSONObject {
        var fields = JSONObject()
        for column in columns {
            guard let field = CSVFormat.field(of: column), let text = text(column) else { continue }
            fields[field] = try value(of: text, in: column, CSVCell.Kind(field, in: catalog))
        }
        return fields
    }

    private func value(of text: String, in column: String, _ kind: CSVCell.Kind) throws(ImportError) -> JSONValue {
        switch kind {
        case .text: return .string(text)
        case .moment, .date:
            guard let value = kind == .date ? days.dateText(text) : days.momentText(text) else {
                throw error("“\(text)” isn't a date; write it like 2026-11-21 or 2026-11-21 15:00", in: column)
            }
            return .string(value)
        case .words:
            guard let tags = CSVCell.tags(of: text) else { throw error("the tags are not a list of texts", in: column) }
            return .array(tags.map(JSONValue.string))
        case .json: return CSVCell.value(of: text)
        }
    }

    /// Returns the text of a cell; nil for an empty one.
    private func text(_ column: String) -> String? { cells[column].flatMap { $0.isEmpty ? nil : $0 } }

    private func error(_ reason: String, in column: String? = nil) -> ImportError {
        ImportError(at: .line(row.line), (column.map { "column \($0): " } ?? "") + reason)
    }
}

/// The form of values in cells.
enum CSVCell {
    // MARK: Formulas

    /// The characters by which a spreadsheet recognises a formula (OWASP, "CSV Injection"), including the full-width
    /// forms.
    private static let formulaStarts: [Unicode.Scalar] = [
        "=", "+", "-", "@", "\t", "\r", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    /// Returns whether a spreadsheet might execute the text. An apostrophe at the beginning, which prevents that,
    /// doesn't change the answer, so that one more can always be removed again.
    private static func isFormula(_ text: String) -> Bool {
        text.unicodeScalars.first { $0 != "'" }.map(formulaStarts.contains) ?? false
    }

    /// Returns a text that no spreadsheet executes.
    static func guarded(_ text: String) -> String { isFormula(text) ? "'" + text : text }

    /// Returns the text that was guarded; other texts unchanged.
    static func unguarded(_ text: String) -> String {
        text.unicodeScalars.first == "'" && isFormula(text) ? String(text.unicodeScalars.dropFirst()) : text
    }

    // MARK: Values

    /// The form of a field's values in cells.
    enum Kind {
        /// The text unchanged.
        case text
        /// A time as RFC 3339; a day means its start.
        case moment
        /// A day, or a time as RFC 3339.
        case date
        /// Words separated by spaces.
        case words
        /// A text unchanged, unless it could be parsed as JSON; any other value as JSON.
        case json

        /// Creates the kind of a field, which may be undeclared.
        init(_ name: String, in catalog: FieldCatalog) {
            guard let field = catalog[name], field.name == name, field.place != .hidden else {
                self = .json
                return
            }
            switch field.kind {
            case .title, .text, .word, .path, .choice, .reference: self = .text
            case .moment: self = .moment
            case .date: self = .date
            case .words, .references: self = .words
            case .number, .flag, .annotations, .custom, .any: self = .json
            }
        }
    }

    /// Returns the cell of a value of any kind: a text unchanged, unless it could be parsed as JSON; else JSON.
    static func text(of value: JSONValue) -> String {
        // `try?`: a text that isn't JSON can't be confused with a value. An empty cell means no value, so the empty
        // text is JSON.
        guard let string = value.string, !string.isEmpty, (try? JSONValue(parsing: string)) == nil else {
            return value.text
        }
        return string
    }

    // `try?`: what isn't JSON is a text.
    static func value(of text: String) -> JSONValue { (try? JSONValue(parsing: text)) ?? .string(text) }

    /// Returns tags separated by spaces, or as a JSON array if one contains a space.
    static func tagsText(_ tags: [String]) -> String {
        let joined = tags.joined(separator: " ")
        return Self.tags(of: joined) == tags ? joined : JSONValue.array(tags.map(JSONValue.string)).text
    }

    /// Returns the tags of a cell; nil if it is a JSON array of other values.
    static func tags(of text: String) -> [String]? {
        // `try?`: a tag may begin with a bracket.
        guard text.hasPrefix("["), let elements = try? JSONValue(parsing: text).array else {
            return text.split(whereSeparator: \.isWhitespace).map(String.init)
        }
        let tags = elements.compactMap(\.string)
        return tags.count == elements.count ? tags : nil
    }
}
