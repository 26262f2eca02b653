internal import Records

/// Satchel's own format: one JSON object `{format, version, records}` in the canonical form of RFC 8785, with the live
/// records as on the wire, sorted by collection, then id. So two homes in sync export the same bytes.
///
/// It contains every collection and field, known or not, and the time at which each field was edited. An imported
/// record has exactly the exported fields and edit times; versions and devices are not imported, since they belong to
/// the importing home.
struct SatchelFormat: FormatRules {
    let format = ExchangeFormat.satchel
    /// The value of `format` in such an object.
    static let name = "satchel"
    /// The `version` that is written, and the only one that is read.
    static let version: Int64 = 1

    /// Writes the object, without a line feed at its end.
    func write(_ entries: [FormatEntry]) -> ExportedDocument.Content {
        let records = entries.map(\.record).sorted { ($0.key.collection, $0.key.id) < ($1.key.collection, $1.key.id) }
        let object: JSONObject = [
            "format": .string(Self.name), "version": .integer(Self.version),
            "records": .array(records.map(Self.entry(of:))),
        ]
        return .text(JSONValue.object(object).canonical)
    }

    /// Returns a live record as in the file; `Record.init(json:)` reads it.
    private static func entry(of record: Record) -> JSONValue {
        [
            "collection": .string(record.key.collection), "id": .string(record.key.id),
            "version": .integer(record.version), "deleted": .bool(record.deleted),
            "modifiedAt": .string(record.modifiedAt), "modifiedBy": .string(record.modifiedBy),
            "clock": record.clock.json, "fields": .object(record.fields),
        ]
    }

    func carried(_ record: Record) -> JSONObject? { record.fields }

    /// Reads such an object, in any form of JSON.
    func read(_ text: String) throws(ImportError) -> [ImportedRecord] {
        var collector = ImportCollector(format, types: types)
        for (index, element) in try Self.elements(text).enumerated() {
            let place = ImportError.Place.entry(index + 1)
            if let record = Record(json: element), record.key.isValid, !record.deleted {
                collector.add(
                    ImportedRecord(key: record.key, fields: record.fields.withoutNulls, clock: record.clock), at: place)
            } else {
                collector.refuse(at: place, "it isn't a live record: collection, id, fields and clock are required")
            }
        }
        return try collector.collected()
    }

    /// Plans an import: of each field, the later edit is kept.
    func plan(_ imported: ImportedRecord, existing: Record?) -> ImportPlan {
        guard let existing else { return .create(imported.fields) }
        if existing.deleted { return .unchanged }
        let differing = imported.fields.patch(from: existing.fields)
        // A field without a time in the file is not newer. Equal times keep the value here.
        let newer = differing.filter { name, _ in
            guard let theirs = imported.clock[name] else { return false }
            return existing.clock[name].map { $0 < theirs } ?? true
        }
        return newer.isEmpty ? .unchanged : .update(JSONObject(newer.map { ($0.name, $0.value) }), kept: [])
    }

    private static func elements(_ text: String) throws(ImportError) -> [JSONValue] {
        let value: JSONValue
        do { value = try JSONValue(parsing: text) } catch {
            let place = ImportError.Place.line(of: error.offset, in: text.utf8)
            throw ImportError(at: place, "the file isn't valid JSON: \(error.reason)")
        }
        guard value.object?["format"]?.string == name else {
            throw .init(file: "the file isn't a JSON export of this program")
        }
        // A newer version may contain what this one would lose or misread.
        guard value.object?["version"]?.integer == version else {
            throw .init(file: "the file was written by a newer version; update this program")
        }
        guard let elements = value.object?["records"]?.array else { throw .init(file: "the file has no records") }
        return elements
    }
}
