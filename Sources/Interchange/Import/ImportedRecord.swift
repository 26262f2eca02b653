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
