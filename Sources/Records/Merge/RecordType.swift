/// A kind of record: its collection, its fields, and the rules that span them.
///
/// A new kind is one file with such a value, and one line in `RecordTypes.standard`; outside of Satchel, one line where
/// `adding(_:)` is called.
public struct RecordType: Sendable {
    /// The collection that holds such records.
    public let collection: String
    /// The words that name such records in a filter: `task`, `tasks`.
    public let names: [String]
    /// The declared fields.
    public let catalog: FieldCatalog
    /// The rules that span several fields or records.
    public let policy: any RecordPolicy
    /// Whether such records are made by merges and not by people: a deletion is then final, and where two copies differ
    /// the later one is kept without a conflict.
    public let isDerived: Bool

    /// Describes a kind of record. Fields that are not declared are stored and synced too; of two edits the latest is kept.
    public init(
        collection: String, names: [String] = [], fields: [Field] = [], policy: any RecordPolicy = PlainPolicy(),
        isDerived: Bool = false
    ) {
        self.collection = collection
        self.names = names
        self.policy = policy
        self.isDerived = isDerived
        let importMark = Field(
            FieldKey<[String]>(Record.importMarkField), isSearched: false, place: .hidden,
            help: "is used by imports and can't be edited")
        catalog = FieldCatalog(isDerived ? fields : fields + [importMark])
    }

    /// The fields that come first in the text of a record that is edited.
    public var form: [Field] {
        let form = catalog.fields.filter { $0.place == .form }
        return form.isEmpty ? [Field(.title, kind: .title, place: .form)] : form
    }

    /// How a field is merged.
    public func rule(for field: String) -> MergeRule {
        catalog[field].flatMap { $0.name == field ? $0.merge : nil } ?? .latest
    }
}

/// The kinds of records that a client knows, by collection.
public struct RecordTypes: Sendable {
    /// The types, in the order in which they were added.
    public let types: [RecordType]
    /// The fields of all types. Of two fields with one name, that of the first type.
    public let catalog: FieldCatalog
    /// The order of records where no other is asked for.
    let usualOrder: [SortKey]
    private let byCollection: [String: RecordType]
    private let catalogs: [String: FieldCatalog]

    /// A registry of these kinds; of two for one collection, the last counts.
    public init(_ types: [RecordType]) {
        let byCollection = Dictionary(types.map { ($0.collection, $0) }) { $1 }
        var collections: [String] = []
        for type in types where !collections.contains(type.collection) { collections.append(type.collection) }
        self.byCollection = byCollection
        self.types = collections.compactMap { byCollection[$0] }
        let all = self.types.flatMap(\.catalog.fields)
        catalog = FieldCatalog(all)
        catalogs = byCollection.mapValues { FieldCatalog($0.catalog.fields + all) }
        usualOrder = SortKey.usual(in: catalog)
    }

    /// The kind of a collection; one without fields for a collection that isn't known.
    public subscript(collection: String) -> RecordType {
        byCollection[collection] ?? RecordType(collection: collection)
    }

    /// The fields that can be named for a record of a collection: those of its own type first, then those of the others.
    public func catalog(for collection: String) -> FieldCatalog {
        catalogs[collection] ?? catalog
    }

    /// The type that a word names in a filter.
    func type(named word: String) -> RecordType? { types.first { $0.names.contains(word) } }

    /// These kinds and others; of two for one collection, the one that was added.
    public func adding(_ others: RecordType...) -> RecordTypes { RecordTypes(types + others) }

    /// The collections of the records that a list shows: those of types that a filter can name.
    public var listed: [String] { types.filter { !$0.names.isEmpty }.map(\.collection) }

    /// The collections that are known, sorted.
    public var collections: [String] { byCollection.keys.sorted() }
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
