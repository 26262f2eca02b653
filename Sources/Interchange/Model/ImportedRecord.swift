public import Records

/// A record as an import found it.
public struct ImportedRecord: Sendable, Equatable {
    /// Where it belongs.
    public let key: RecordKey
    /// Its fields.
    public let fields: JSONObject
    /// Of a file that Satchel wrote: the fingerprint of what it said about the record then.
    let base: String?
    /// When its fields were edited, if the format says so.
    let clock: FieldClocks

    /// The moments of the imported fields: of a new record all, of one that is here those of the patch.
    ///
    /// Empty if the format has none.
    public func moments(of patch: JSONObject, isNew: Bool) -> [String: HLC] {
        if isNew { return Dictionary(clock.moments.map { ($0.key.text, $0.value) }, uniquingKeysWith: max) }
        return Dictionary(patch.names.compactMap { name in clock[name].map { (name, $0) } }) { first, _ in first }
    }

    init(key: RecordKey, fields: JSONObject, base: String? = nil, clock: FieldClocks = FieldClocks()) {
        self.key = key
        self.fields = fields
        self.base = base
        self.clock = clock
    }

    /// The fields with the mark of the import.
    func marked(by format: ExchangeFormat) -> JSONObject {
        var marked = fields
        marked[ImportMark.field] = ImportMark(fields, of: format).json(keeping: [:])
        return marked
    }
}

/// Distinguishes values by 32 bits (FNV-1a).
enum Fingerprint {
    /// Eight hex digits for a value; equal values have equal ones.
    static func text(of value: JSONValue) -> String {
        let hash = value.canonical.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return hash.zeroPadded(to: 8, radix: 16)
    }
}

/// What the last import read of each field, as hashes: `["due:9f86d081", "csv|title:…", …]`, apart for each format.
///
/// It is stored in the record, so that any device can distinguish changes of the file from changes made here. As a set
/// it merges without conflicts; after a merge it may hold two values of a field.
struct ImportMark: Equatable {
    /// The field that holds it.
    static let field = Record.importMarkField

    private let prefix: String
    /// Without the prefix.
    private let elements: Set<String>

    /// The mark of an import of these fields.
    init(_ fields: JSONObject, of format: ExchangeFormat) {
        prefix = Self.prefix(of: format)
        elements = Set(fields.map { Self.element($0.name, $0.value) })
    }

    /// What a record remembers of imports in a format.
    init(in record: JSONObject, of format: ExchangeFormat) {
        prefix = Self.prefix(of: format)
        elements = Set(
            Self.texts(in: record).filter { Self.format(of: $0) == format }.map { [prefix] in
                String($0.dropFirst(prefix.count))
            })
    }

    /// Whether nothing was imported.
    var isEmpty: Bool { elements.isEmpty }

    /// The names of the imported fields.
    var names: [String] {
        elements.compactMap { element in element.lastIndex(of: ":").map { String(element[..<$0]) } }
    }

    /// Whether this value of a field was imported; for none, whether no value was.
    func holds(_ name: String, _ value: JSONValue?) -> Bool {
        value.map { elements.contains(Self.element(name, $0)) } ?? !names.contains(name)
    }

    /// The field's value, with what the record remembers of other formats.
    func json(keeping record: JSONObject) -> JSONValue {
        let others = Self.texts(in: record).filter { Self.prefix(of: Self.format(of: $0)) != prefix }
        return .array(Set(others).union(elements.map { prefix + $0 }).sorted().map(JSONValue.string))
    }

    /// Taskwarrior's elements have no prefix: they were there before other formats.
    private static func prefix(of format: ExchangeFormat) -> String {
        format == .taskwarrior ? "" : "\(format.rawValue)|"
    }

    private static func format(of element: String) -> ExchangeFormat {
        ExchangeFormat.allCases.first { $0 != .taskwarrior && element.hasPrefix(prefix(of: $0)) } ?? .taskwarrior
    }

    private static func texts(in record: JSONObject) -> [String] {
        (record[field]?.array ?? []).compactMap(\.string)
    }

    private static func element(_ name: String, _ value: JSONValue) -> String {
        "\(name):\(Fingerprint.text(of: value))"
    }
}
