/// What to sort by.
public struct SortKey: Sendable, Equatable {
    /// Whether the largest comes first.
    public let descending: Bool
    private let aspect: Aspect

    /// What of a record counts.
    private enum Aspect: Equatable {
        /// A field's value; of a field with few values their ranks.
        case field(String, ranks: [String]?)
        /// Whether the record is closed.
        case closed([Closing])
        /// The place of its collection among these; others come first.
        case collection([String])
    }

    /// Sorts by a field, its declared values in the order of their declaration; records without it come last, either way.
    public init(_ field: Field, descending: Bool = false) {
        self.descending = descending
        if case .choice(let choices, _) = field.kind {
            aspect = .field(field.name, ranks: choices.map(\.value))
        } else {
            aspect = .field(field.name, ranks: nil)
        }
    }

    private init(_ aspect: Aspect) {
        descending = false
        self.aspect = aspect
    }

    /// The most pressing first: what is to be done by due date, tasks before notes, then by priority and age; then what is
    /// done, the last first.
    static func usual(in catalog: FieldCatalog) -> [SortKey] {
        let keys = [
            catalog[FieldKey.end.name].map { SortKey($0, descending: true) },
            catalog[FieldKey.due.name].map { SortKey($0) },
            SortKey(.collection([NoteRecord.type.collection])),
            catalog[FieldKey.priority.name].map { SortKey($0) },
            catalog[FieldKey.entry.name].map { SortKey($0) },
        ]
        return [SortKey(.closed(catalog.closings))] + keys.compactMap(\.self)
    }

    /// A field's value as it sorts.
    enum Value: Comparable {
        case number(Double)
        case text(String)
    }

    func value(of row: QueryRow) -> Value? {
        switch aspect {
        case .field(let name, let ranks): row.fields[name].flatMap { Self.value($0, ranks) }
        case .closed(let closings): .number(closings.contains { $0.isClosed(row.fields) } ? 1 : 0)
        case .collection(let order): .number(Double((order.firstIndex(of: row.collection) ?? -1) + 1))
        }
    }

    private static func value(_ value: JSONValue, _ ranks: [String]?) -> Value? {
        if let ranks {
            return value.string.flatMap { ranks.firstIndex(of: $0) }.map { .number(Double($0)) }
        }
        if let number = value.double { return .number(number) }
        return value.string.map { .text($0.lowercased()) }
    }

    /// Whether a record with the one value comes before a record with the other; nil if they are equal.
    func precedes(_ left: Value?, _ right: Value?) -> Bool? {
        guard let left, let right else { return left == nil && right == nil ? nil : left != nil }
        if left == right { return nil }
        return (left < right) != descending
    }
}
