public import Records

/// A task as an import found it.
public struct ImportedTask: Sendable, Equatable {
    /// Where it belongs.
    public let key: RecordKey
    /// Its fields.
    public let fields: JSONObject

    /// The fields with the note of what was taken in.
    var marked: JSONObject {
        var marked = fields
        marked[ImportMark.field] = ImportMark(fields).json
        return marked
    }
}

/// What an import took in last of each field, as hashes: `["due:9f86d081", …]`.
///
/// It stands in the record, so that any device can tell what the file has changed from what was changed here. As a set it
/// merges without conflicts; after a merge it may hold two values of a field.
struct ImportMark: Equatable {
    /// The field that holds it.
    static let field = Record.importMarkField

    private let elements: Set<String>

    /// What is taken in with these fields.
    init(_ fields: JSONObject) { elements = Set(fields.map { Self.element($0.name, $0.value) }) }

    /// What a record remembers.
    init(of record: JSONObject) {
        elements = Set((record[Self.field]?.array ?? []).compactMap(\.string))
    }

    /// The names of the fields that were taken in.
    var names: [String] {
        elements.compactMap { element in element.lastIndex(of: ":").map { String(element[..<$0]) } }
    }

    /// Whether this value of a field was taken in; for none, whether no value was.
    func holds(_ name: String, _ value: JSONValue?) -> Bool {
        value.map { elements.contains(Self.element(name, $0)) } ?? !names.contains(name)
    }

    var json: JSONValue { .array(elements.sorted().map(JSONValue.string)) }

    /// FNV-1a, 32 bits: tells one value from another, no more.
    private static func element(_ name: String, _ value: JSONValue) -> String {
        let hash = value.canonical.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return "\(name):" + hash.zeroPadded(to: 8, radix: 16)
    }
}
