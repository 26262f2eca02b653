/// What the house knows of a kind of record: its collection and how its fields merge.
///
/// A new kind is one file with such a value, and one line in `RecordTypes.standard`; outside of Satchel, one line where
/// `adding(_:)` is called.
public struct RecordType: Sendable {
    /// The collection that holds such records.
    public let collection: String
    /// The rules of the fields that don't merge as `latest`.
    public let rules: [String: MergeRule]
    /// Whether such records are made by merges and not by people: a deletion is then final, and where two copies differ
    /// the later one stays without a trace.
    public let isDerived: Bool

    /// Describes a kind of record; fields without a rule merge as `latest`.
    public init(collection: String, rules: [String: MergeRule] = [:], isDerived: Bool = false) {
        self.collection = collection
        self.rules = rules
        self.isDerived = isDerived
    }

    /// The rule of a field; `latest` for one that isn't known.
    public func rule(for field: String) -> MergeRule { rules[field] ?? .latest }
}

/// The kinds of records that a client knows, by collection.
public struct RecordTypes: Sendable {
    private let types: [String: RecordType]

    /// A registry of these kinds; of two for one collection, the last stays.
    public init(_ types: [RecordType]) {
        self.types = Dictionary(types.map { ($0.collection, $0) }) { $1 }
    }

    /// The kind of a collection; one without rules for a collection that isn't known.
    public subscript(collection: String) -> RecordType {
        types[collection] ?? RecordType(collection: collection)
    }

    /// These kinds and others; of two for one collection, the one that was added.
    public func adding(_ others: RecordType...) -> RecordTypes { RecordTypes(Array(types.values) + others) }

    /// The collections that are known, sorted.
    public var collections: [String] { types.keys.sorted() }
}

extension RecordTypes {
    /// The kinds that come with Satchel.
    public static let standard = RecordTypes([
        TaskRecord.type,
        NoteRecord.type,
        SavedList.type,
        ConflictRecord.type,
    ])
}
