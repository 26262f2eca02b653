/// A record type: its collection, its fields, and the rules that span them.
///
/// A new type is one file with such a value, and one line in `RecordTypes.standard`; outside of Satchel, one line in
/// the call of `adding(_:)`.
public struct RecordType: Sendable {
    /// The collection of such records.
    public let collection: String
    /// The words that name such records in a filter: `task`, `tasks`.
    public let names: [String]
    /// The declared fields.
    public let catalog: FieldCatalog
    /// The rules that span several fields or records.
    public let policy: any RecordPolicy
    /// Whether each record is a document, which Markdown and similar formats write as a file.
    public let isDocument: Bool
    /// The field with the longer text of a record: the first text that is declared with the place `apart`.
    public let body: Field
    /// The field with the time at which a record should be done; nil if such records are never due.
    public let deadline: Field?
    /// The rule by which a record is completed and reopened; nil if such records can't be.
    public let closing: ClosingRule?
    /// The rule by which work on a record begins and ends; nil if it isn't recorded.
    public let work: WorkRule?
    /// Whether such records are created by merges only: a deletion is then final, and of two different copies the later
    /// one is kept without a conflict.
    public let isDerived: Bool

    /// Creates a record type. Fields that are not declared are stored and synced, too; of two edits the latest is kept.
    public init(
        collection: String, names: [String] = [], fields: [Field] = [], policy: any RecordPolicy = PlainPolicy(),
        isDerived: Bool = false, isDocument: Bool = false
    ) {
        self.collection = collection
        self.names = names
        self.policy = policy
        self.isDerived = isDerived
        self.isDocument = isDocument
        body = fields.first(where: \.isBody) ?? Field(.body, kind: .text, place: .apart)
        deadline = fields.first { $0.role == .deadline }
        closing = ClosingRule(of: fields)
        work = WorkRule(of: fields)
        let importMark = Field(
            FieldKey<[String]>(Record.importMarkField), isSearched: false, place: .hidden,
            help: "is used by imports and can't be edited")
        catalog = FieldCatalog(isDerived ? fields : fields + [importMark])
    }

    /// The name of one record: `task`.
    public var noun: String { names.first ?? collection }

    /// The name of several records: `tasks`.
    public var plural: String { names.dropFirst().first ?? collection }

    /// The name of one record for a heading: `Task`.
    public var title: String { noun.prefix(1).uppercased() + noun.dropFirst() }

    /// The name of several records for a heading: `Tasks`.
    public var pluralTitle: String { plural.prefix(1).uppercased() + plural.dropFirst() }

    /// Whether lists show such records, since a filter can name them.
    var isListed: Bool { !names.isEmpty }

    /// Returns whether the fields are those of a closed record.
    public func isClosed(_ fields: JSONObject) -> Bool { closing?.isClosed(fields) ?? false }

    /// Returns the initial fields of a new record.
    public func initialFields(at moment: Timestamp) -> JSONObject {
        var fields = JSONObject()
        for name in catalog.names(of: .created) { fields[FieldKey(name)] = moment }
        if let closing { fields[closing.field] = .string(closing.open) }
        return fields
    }

    /// The fields that come first in the text of an edited record.
    public var form: [Field] {
        let form = catalog.fields.filter { $0.place == .form }
        return form.isEmpty ? [Field(.title, kind: .title, place: .form)] : form
    }

    /// Returns the merge rule of a field.
    package func rule(for field: String) -> MergeRule {
        // Aliases are for typing: a field whose stored name is an alias is undeclared.
        catalog[field].flatMap { $0.name == field ? $0.merge : nil } ?? .latest
    }

    /// Returns a function that maps a value of the field to its canonical form; values with the same canonical form are
    /// equal in a merge: `2w` and `FREQ=WEEKLY;INTERVAL=2`, or the same time in two time zones. Nil: the values
    /// themselves are compared.
    func canonicalForm(of field: String) -> ((JSONValue) -> JSONValue)? {
        guard let field = catalog[field] else { return nil }
        switch field.kind {
        case .custom, .date: return { field.canonicalForm(of: $0) }
        case .title, .text, .word, .path, .choice, .words, .moment, .number, .flag, .annotations, .reference,
            .references, .any:
            return nil
        }
    }
}

extension Field {
    /// Whether it is a text below the other fields.
    fileprivate var isBody: Bool {
        if case .text = kind { place == .apart } else { false }
    }
}

/// The record types that a client knows, by collection.
public struct RecordTypes: Sendable {
    /// The types, in the order in which they were added.
    public let types: [RecordType]
    /// The fields of all types. Of two fields with the same name, that of the first type.
    public let catalog: FieldCatalog
    /// The fields that lists show, in the order of their columns.
    public let columns: [Field]
    /// The rules by which records are completed.
    let closings: ClosingRules
    /// The fields by which records refer to each other.
    let linkRules: LinkRules
    /// The order of records if no other is requested.
    let defaultOrder: [SortKey]
    private let byCollection: [String: RecordType]
    private let catalogs: [String: FieldCatalog]

    /// Creates a registry of these types; of two types for the same collection, the last is used.
    public init(_ types: [RecordType]) {
        let byCollection = Dictionary(types.map { ($0.collection, $0) }) { $1 }
        var collections: [String] = []
        for type in types where !collections.contains(type.collection) { collections.append(type.collection) }
        self.byCollection = byCollection
        self.types = collections.compactMap { byCollection[$0] }
        let all = self.types.flatMap(\.catalog.fields)
        catalog = FieldCatalog(all)
        // Its own fields first: of two fields with the same name, a catalogue uses the first.
        catalogs = byCollection.mapValues { FieldCatalog($0.catalog.fields + all) }
        let listed = self.types.filter(\.isListed)
        columns = FieldCatalog(listed.flatMap(\.catalog.fields).filter { $0.column != nil }).fields.enumerated()
            // `sorted` isn't documented as stable, so that the offset decides between equal positions.
            .sorted { ($0.element.column?.order ?? 0, $0.offset) < ($1.element.column?.order ?? 0, $1.offset) }
            .map(\.element)
        closings = ClosingRules(self.types.compactMap { type in type.closing.map { (type.collection, $0) } })
        linkRules = LinkRules(self.types.map { ($0.collection, $0.catalog) }, closings)
        defaultOrder = SortKey.defaultOrder(for: listed.map { ($0.collection, $0.catalog) }, closings)
    }

    /// The type of a collection; one without fields if the collection isn't known.
    public subscript(collection: String) -> RecordType {
        byCollection[collection] ?? RecordType(collection: collection)
    }

    /// Returns the fields that can be named for a record of a collection: those of its own type first, then those of
    /// the others.
    public func catalog(for collection: String) -> FieldCatalog {
        catalogs[collection] ?? catalog
    }

    /// Returns the type that a word names in a filter.
    public func type(named word: String) -> RecordType? { types.first { $0.names.contains(word) } }

    /// Returns these types and others; of two types for the same collection, the added one.
    public func adding(_ others: RecordType...) -> RecordTypes { RecordTypes(types + others) }

    /// The types of the records that a list shows: those that a filter can name.
    public var listedTypes: [RecordType] { types.filter(\.isListed) }

    /// The types of the records that a list shows whose filter has no condition: no documents, such as notes, which would
    /// soon outnumber the tasks. A program with nothing but documents lists them.
    package var defaultTypes: [RecordType] {
        let others = listedTypes.filter { !$0.isDocument }
        return others.isEmpty ? listedTypes : others
    }

    /// The listed types whose records can be completed.
    package var completableTypes: [RecordType] { listedTypes.filter { $0.closing != nil } }

    /// Returns the listed types as a part of a sentence: `tasks, notes and books`.
    ///
    /// - Parameters:
    ///   - name: The name of each type: `\.noun` or `\.plural`.
    ///   - conjunction: The word before the last one.
    public func listedNames(_ name: (RecordType) -> String, conjunction: String) -> String {
        listedTypes.map(name).joined(conjunction: conjunction)
    }

    /// The name of the records that `add` adds if no type is named: `task`.
    package var defaultNoun: String { listedTypes.first?.noun ?? "record" }

    /// The collections of the records that a list shows.
    public var listed: [String] { listedTypes.map(\.collection) }

    /// Returns whether a type is declared for a collection. Records of any other collection belong to another program.
    /// If the home receives them, they are stored and synced, but not displayed, counted or found.
    public func declares(_ collection: String) -> Bool { byCollection[collection] != nil }

    /// The known collections, sorted.
    public var collections: [String] { byCollection.keys.sorted() }
}
