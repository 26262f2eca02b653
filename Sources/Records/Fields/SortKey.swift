/// What to sort by.
public struct SortKey: Sendable, Equatable {
    /// Whether the largest comes first.
    public let descending: Bool
    private let aspect: Aspect

    /// What of a record counts.
    private enum Aspect: Equatable {
        /// The value of the first of these fields that a record has; of a field with few values their ranks.
        case fields([String], ranks: [String]?)
        /// Whether the record is closed.
        case closed([Closing])
        /// The place of its collection among these; others come first.
        case collection([String])
    }

    /// Sorts by a field, its declared values in the order of their declaration; records without it come last, either way.
    public init(_ field: Field, descending: Bool = false) {
        self.descending = descending
        aspect = .fields([field.name], ranks: field.kind.choices?.map(\.value))
    }

    private init(_ aspect: Aspect, descending: Bool = false) {
        self.descending = descending
        self.aspect = aspect
    }

    /// The most pressing first: what is to be done by deadline, types that are never due after the others, then by importance
    /// and age; then what is closed, the last first.
    ///
    /// - Parameter neverDue: the collections of types without a deadline.
    static func usual(in catalog: FieldCatalog, neverDue: [String]) -> [SortKey] {
        let importance = catalog.fields.first { $0.role == .importance }
        return [
            SortKey(.closed(catalog.closings)),
            SortKey(.fields(catalog.names(of: .closed), ranks: nil), descending: true),
            SortKey(.fields(catalog.names(of: .deadline), ranks: nil)), SortKey(.collection(neverDue)),
        ] + [importance.map { SortKey($0) }].compactMap(\.self)
            + [SortKey(.fields(catalog.names(of: .created), ranks: nil))]
    }

    /// A field's value as it sorts.
    enum Value: Comparable {
        case number(Double)
        case text(String)
    }

    func value(of row: QueryRow) -> Value? {
        switch aspect {
        case .fields(let names, let ranks):
            names.lazy.compactMap { row.fields[$0] }.first.flatMap { Self.value($0, ranks) }
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
