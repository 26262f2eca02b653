public import Records

/// Satchel's own format: one JSON object `{format, version, records}` in the canonical form of RFC 8785, the live records
/// as on the wire, sorted by collection, then id. So two homes in step export the same bytes.
public enum SatchelFormat {
    /// The `format` of such an object.
    public static let name = "satchel"
    /// The `version` that is written, and the only one that is read.
    public static let version: Int64 = 1

    /// The object of these records, without a line feed at its end; tombstones are left out.
    public static func text(of records: some Sequence<Record>) -> String {
        let live = records.filter { !$0.deleted }.sorted {
            ($0.key.collection, $0.key.id) < ($1.key.collection, $1.key.id)
        }
        let object: JSONObject = [
            "format": .string(name), "version": .integer(version), "records": .array(live.map(\.json)),
        ]
        return JSONValue.object(object).canonical
    }

    /// The records of such an object, in whatever form of JSON.
    ///
    /// - Throws: `ImportError`, which names every record that can't be read.
    public static func records(parsing bytes: [UInt8]) throws(ImportError) -> [Record] {
        let elements = try elements(bytes)
        var records: [Record] = []
        var problems: [ImportError.Problem] = []
        var known: Set<RecordKey> = []
        for (index, element) in elements.enumerated() {
            if let record = Record(json: element), record.key.isValid, !record.deleted {
                records.append(record)
                if known.insert(record.key).inserted { continue }
                problems.append(.init(entry: index + 1, reason: "\(record.key.id) stands in the file twice"))
            } else {
                problems.append(.init(entry: index + 1, reason: "it is no live record as PROTOCOL.md describes it"))
            }
        }
        if !problems.isEmpty { throw ImportError(problems: problems) }
        return records
    }

    private static func elements(_ bytes: [UInt8]) throws(ImportError) -> [JSONValue] {
        let value: JSONValue
        do { value = try JSONValue(parsing: bytes) } catch { throw .init(file: "the file is no JSON: \(error)") }
        guard value.object?["format"]?.string == name else { throw .init(file: "the file is no export of Satchel's") }
        guard value.object?["version"]?.integer == version else {
            throw .init(file: "the file was written by a newer Satchel: update this one")
        }
        guard let elements = value.object?["records"]?.array else { throw .init(file: "the file has no records") }
        return elements
    }
}

extension ImportError {
    /// A problem of the file as a whole.
    init(file reason: String) { self.init(problems: [Problem(entry: nil, reason: reason)]) }
}
