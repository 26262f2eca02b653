internal import Records

/// Records of every type but conflicts, one in each row, under a header with the names of the columns.
///
/// Texts are written unchanged, times as RFC 3339 without their time zone (a day is accepted, too), tags separated by
/// spaces, annotations and all other values that aren't texts as JSON. There is a column for each declared field and
/// for each other one that occurs; one with the name of another column is called `field.name`. A text that a spreadsheet
/// would execute as a formula has an apostrophe before it.
struct CSVFormat: FormatRules {
    let format = ExchangeFormat.csv
    let days: Days
    let types: RecordTypes

    /// The columns that identify the record of a row and its exported state.
    static let facts = ["collection", "id", "base"]
    private static let prefix = "field."

    // MARK: Columns

    /// Returns the name of a field's column.
    static func column(of field: String) -> String {
        facts.contains(field) || field.hasPrefix(prefix) ? prefix + field : field
    }

    /// Returns the field of a column; nil for a column that isn't a field.
    static func field(of column: String) -> String? {
        if facts.contains(column) { return nil }
        let field = column.hasPrefix(prefix) ? String(column.dropFirst(prefix.count)) : column
        // Only this format sets the mark of its imports.
        return field == ImportMark.field ? "csv.\(field)" : field
    }

    /// Returns whether a line of text is the header of such a table.
    static func isHeader(_ line: Substring) -> Bool {
        // `try?`: a line that isn't CSV is not a header.
        guard let row = try? CSVTable(parsing: String(line)).rows.first, row.cells.count > 1 else { return false }
        return row.cells.contains(FieldKey.title.name)
    }

    // MARK: Writing

    func write(_ entries: [FormatEntry]) -> ExportedDocument.Content {
        let entries = entries.filter { $0.record.key.collection != ConflictRecord.type.collection }
        var others: Set<String> = []
        for entry in entries { others.formUnion(entry.record.fields.names) }
        let declared = types.catalog.fields.filter { $0.place != .hidden }.map(\.name)
        others.subtract(declared + [ImportMark.field])
        let fields = declared + others.sorted()
        let header = ["collection", "id"] + fields.map(Self.column) + ["base"]
        let rows = entries.map { entry in
            let key = entry.record.key
            return [key.collection, key.id] + fields.map { cell(entry.record.fields[$0], of: $0, in: key.collection) }
                + [entry.base ?? ""]
        }
        return .text(CSVTable.text(of: ([header] + rows).map { $0.map(CSVCell.guarded) }))
    }

    private func cell(_ value: JSONValue?, of field: String, in collection: String) -> String {
        guard let value else { return "" }
        switch CSVCell.Kind(field, in: types.catalog(for: collection)) {
        case .text: return value.string ?? ""
        case .moment, .date:
            // Without the name of a time zone, which programs that read tables don't know.
            return value.string.flatMap { text in
                DateValue(text).map { $0.zone == nil ? text : $0.withoutZone.description }
            } ?? ""
        case .words: return CSVCell.tagsText(value.array?.compactMap(\.string) ?? [])
        case .json: return CSVCell.text(of: value)
        }
    }

    // MARK: Reading

    func records(in text: String) throws(ImportError) -> ImportedRecords {
        let table = try CSVTable(parsing: text)
        guard let header = table.rows.first else { throw ImportError(file: "the file is empty") }
        let columns = header.cells.map(CSVCell.unguarded)
        try Self.check(columns)
        var collector = ImportCollector(format, types: types)
        var occurrences: [String: Int] = [:]
        for row in table.rows.dropFirst() {
            let reader = CSVRowReader(row: row, columns: columns, days: days, types: types)
            do {
                let identity = reader.identity
                occurrences[identity, default: 0] += 1
                let record = try reader.record(occurrence: (occurrences[identity] ?? 1) - 1)
                collector.add(record, at: .line(row.line))
            } catch {
                for problem in error.problems { collector.refuse(at: problem.place, problem.reason) }
            }
        }
        return try collector.collected()
    }

    private static func check(_ columns: [String]) throws(ImportError) {
        guard columns.contains(FieldKey.title.name) else {
            throw ImportError(at: .line(1), "no column is called title; the first line must name the columns")
        }
        var known: Set<String> = []
        for column in columns where !known.insert(column).inserted {
            throw ImportError(at: .line(1), "two columns are called “\(column)”")
        }
    }
}
