/// The name of the field with a role in each record type, so that rules read a field by its meaning.
struct RoleNames: Sendable, Equatable {
    private let byCollection: [String: String]

    init(_ role: Field.Role, in types: [(collection: String, catalog: FieldCatalog)]) {
        byCollection = Dictionary(
            types.compactMap { type in type.catalog.field(with: role).map { (type.collection, $0.name) } }
        ) { first, _ in first }
    }

    /// Whether no type has such a field.
    var isEmpty: Bool { byCollection.isEmpty }

    /// The names in all types.
    var names: [String] { Array(byCollection.values) }

    /// The field's name in the records of a collection; nil: they have none.
    subscript(collection: String) -> String? { byCollection[collection] }

    /// Returns the value of the field in a record.
    func value(in row: QueryRow) -> JSONValue? { byCollection[row.collection].flatMap { row.fields[$0] } }
}

extension JSONObject {
    /// Returns the time in a field that a rule reads by its role; of a day, its start.
    func moment(in field: String, _ starts: inout DayStarts) -> Timestamp? {
        self[FieldKey<DateValue>(field)].map { starts.time(of: $0) }
    }
}
