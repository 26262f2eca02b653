public import Records

/// A record in an imported file.
public struct ImportedRecord: Sendable, Equatable {
    /// The record's key.
    public let key: RecordKey
    /// The record's fields.
    public let fields: JSONObject
    /// The fingerprint of the record's state when Satchel wrote the file; nil in other files.
    let base: String?
    /// The times at which its fields were edited, if the format contains them.
    package let clock: FieldClocks
    /// The names of fields that are kept for the next export, but have no effect here, in the order of the names.
    public let unused: [String]

    /// Returns the times of the imported fields: all for a new record, those of the patch for an existing one.
    ///
    /// It is empty if the format has no times.
    public func moments(of patch: JSONObject, isNew: Bool) -> [String: HLC] {
        if isNew { return Dictionary(clock.moments.map { ($0.key.text, $0.value) }, uniquingKeysWith: max) }
        return Dictionary(patch.names.compactMap { name in clock[name].map { (name, $0) } }) { first, _ in first }
    }

    init(
        key: RecordKey, fields: JSONObject, base: String? = nil, clock: FieldClocks = FieldClocks(),
        unused: [String] = []
    ) {
        self.key = key
        self.fields = fields
        self.base = base
        self.clock = clock
        self.unused = unused
    }

    /// Returns the fields with the mark of the import.
    func marked(by format: ExchangeFormat) -> JSONObject {
        var marked = fields
        marked[ImportMark.field] = ImportMark(fields, of: format).json(keeping: [:])
        return marked
    }

    /// Whether the fields, with the mark of the import, are larger than a record may be.
    func isTooLarge(for format: ExchangeFormat) -> Bool {
        // A mark takes longer to create than all else here, and has at most about five times the bytes of the fields.
        fields.textBytes(above: FieldLimits.fieldsBytes / 16) != nil
            && marked(by: format).textBytes(above: FieldLimits.fieldsBytes) != nil
    }
}

/// Fingerprints of 32 bits (FNV-1a), which distinguish values.
enum Fingerprint {
    /// Returns eight hex digits for a value; equal values have equal ones.
    static func text(of value: JSONValue) -> String {
        // 32 bits, since a mark stores one for each field (about 100 bytes for a task). It is no protection against
        // forged values.
        let hash = value.canonical.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 }
        return hash.zeroPadded(to: 8, radix: 16)
    }
}

/// The values that the last import read, as hashes: `["due:9f86d081", "csv|title:…", …]`, separate for each format.
///
/// The mark is stored in the record, so that any device can distinguish changes of the file from changes made here. As
/// a set it merges without conflicts; after a merge it may contain two values of a field (record 0001 of Interchange).
struct ImportMark: Equatable {
    /// The field of the mark.
    static let field = Record.importMarkField

    private let prefix: String
    /// The elements without the prefix.
    private let elements: Set<String>

    /// Creates the mark of an import of these fields.
    init(_ fields: JSONObject, of format: ExchangeFormat) {
        prefix = Self.prefix(of: format)
        elements = Set(fields.map { Self.element($0.name, $0.value) })
    }

    /// Reads the mark of a record for a format.
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
        // The last colon: a field's name may contain colons, a hash doesn't.
        elements.compactMap { element in element.lastIndex(of: ":").map { String(element[..<$0]) } }
    }

    /// Returns whether this value of a field was imported; for nil, whether no value was.
    func holds(_ name: String, _ value: JSONValue?) -> Bool {
        value.map { elements.contains(Self.element(name, $0)) } ?? !names.contains(name)
    }

    /// Returns the field's value, with the record's marks of other formats.
    func json(keeping record: JSONObject) -> JSONValue {
        let others = Self.texts(in: record).filter { Self.prefix(of: Self.format(of: $0)) != prefix }
        return .array(Set(others).union(elements.map { prefix + $0 }).sorted().map(JSONValue.string))
    }

    /// The prefix of a format's elements. Taskwarrior's have none: they are stored in records since before the other
    /// formats.
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
