internal import Records

/// Satchel's own format: one JSON object `{format, version, records}` in the canonical form of RFC 8785, with the live
/// records as on the wire, sorted by collection, then id. So two homes in sync export the same bytes.
///
/// It contains every collection and field, known or not, and the time at which each field was edited. An imported
/// record has exactly the exported fields and edit times; versions and devices are not imported, since they belong to
/// the importing home.
struct SatchelFormat: FormatRules {
    let format = ExchangeFormat.satchel
    /// The name of the member that names the format. Canonical JSON has it first.
    static let formatMember = "format"
    /// The value of `format` in such an object.
    static let name = "satchel"
    /// The `version` that is written, and the only one that is read.
    static let version: Int64 = 1
    /// The name of the member with the version.
    private static let versionMember = "version"
    /// The name of the member with the records.
    static let recordsMember = "records"

    /// Writes the object, without a line feed at its end.
    func write(_ entries: [FormatEntry]) -> ExportedDocument.Content {
        let records = entries.map(\.record).sorted { ($0.key.collection, $0.key.id) < ($1.key.collection, $1.key.id) }
        let object: JSONObject = [
            Self.formatMember: .string(Self.name), Self.versionMember: .integer(Self.version),
            Self.recordsMember: .array(records.map(Self.entry(of:))),
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

    /// Returns whether a text begins like an export by `write`. The rest isn't parsed, so it may be invalid.
    static func matchesBeginning(of bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        JSONValue.firstMember(named: formatMember, of: bytes)?.string == name
    }

    func carried(_ record: Record) -> JSONObject? { record.fields }

    /// Checks such an object, in any form of JSON, and parses each record again when it is read.
    func records(in text: String) throws(ImportError) -> ImportedRecords {
        var collector = ImportCollector(format, types: types)
        var places: [Range<Int>] = []
        try Self.check(text) { element, place in
            places.append(place)
            let entry = Self.place(places.count - 1)
            if let record = Self.record(element) {
                collector.check(record, at: entry)
            } else {
                collector.refuse(at: entry, Self.refusal)
            }
        }
        try collector.finish()
        let pieces = JSONPieces(text, places)
        return ImportedRecords(count: pieces.count) { (index: Int) throws(ImportError) -> ImportedRecord in
            guard case .success(let element) = pieces.value(at: index), let record = Self.record(element) else {
                throw ImportError(at: Self.place(index), Self.refusal)
            }
            return record
        }
    }

    private static let refusal = "it isn't a live record: collection, id, fields and clock are required"

    private static func place(_ index: Int) -> ImportError.Place { .entry(index + 1) }

    private static func record(_ element: JSONValue) -> ImportedRecord? {
        guard let record = Record(json: element), record.key.isValid, !record.deleted else { return nil }
        return ImportedRecord(key: record.key, fields: record.fields.withoutNulls, clock: record.clock)
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

    /// Checks that a text is such an object, and passes the elements of `records` to `body` with their bytes.
    private static func check(
        _ text: String, _ body: (_ element: JSONValue, _ bytes: Range<Int>) -> Void
    ) throws(ImportError) {
        let parsed = text.withBytes { bytes in
            Result { () throws(JSONError) -> JSONObject? in
                try JSONValue.parseObject(of: bytes, passing: recordsMember, to: body)
            }
        }
        let object: JSONObject?
        switch parsed {
        case .success(let found): object = found
        case .failure(let error): throw ImportError(error, in: text.utf8, "the file")
        }
        guard object?[formatMember]?.string == name else {
            throw .init(file: "the file isn't a JSON export of this program; name its format, or export it again")
        }
        try check(version: object?[versionMember])
        guard object?[recordsMember]?.array != nil else {
            throw .init(file: "the file has no records, so it isn't a complete export; \(otherCopy)")
        }
    }

    private static let otherCopy = "import another copy, or export again"

    private static func check(version written: JSONValue?) throws(ImportError) {
        guard let written else {
            throw .init(file: "the file doesn't name its version, so it was changed after the export; \(otherCopy)")
        }
        guard let number = written.integer else {
            throw .init(
                file: "the version of the file isn't a number, so it was changed after the export; \(otherCopy)")
        }
        // A newer version may contain what this one would lose or misread.
        if number > version { throw .init(file: "the file was written by a newer version; update this program") }
        if number < version { throw .init(file: "the file has the unknown version \(number); \(otherCopy)") }
    }
}
