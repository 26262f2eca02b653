/// A criterion of sorting.
public struct SortKey: Sendable, Equatable {
    /// Whether the largest value is first.
    public let descending: Bool
    private let aspect: Aspect

    /// The aspect of a record that is compared.
    private enum Aspect: Equatable {
        /// The value of the first of these fields that a record has; for a choice, the rank of the value.
        case fields([String], ranks: [String]?)
        /// Whether the record is closed.
        case closed([Closing])
        /// The position of its collection among these; other collections are first.
        case collection([String])
    }

    /// Sorts by a field, a choice in the order of its declaration; records without the field are last in both
    /// directions.
    public init(_ field: Field, descending: Bool = false) {
        self.descending = descending
        aspect = .fields([field.name], ranks: field.kind.choices?.map(\.value))
    }

    private init(_ aspect: Aspect, descending: Bool = false) {
        self.descending = descending
        self.aspect = aspect
    }

    /// Returns the usual order: open records first, by deadline, types that are never due after the others, then by
    /// importance and age; then closed records, the last closed first.
    ///
    /// - Parameters:
    ///   - catalog: The fields of all types.
    ///   - neverDue: The collections of types without a deadline.
    static func usual(in catalog: FieldCatalog, neverDue: [String]) -> [SortKey] {
        let importance = catalog.fields.first { $0.role == .importance }
        return [
            SortKey(.closed(catalog.closings)),
            // Open records have no such field and are equal here, so that the next keys decide.
            SortKey(.fields(catalog.names(of: .closed), ranks: nil), descending: true),
            SortKey(.fields(catalog.names(of: .deadline), ranks: nil)), SortKey(.collection(neverDue)),
        ] + [importance.map { SortKey($0) }].compactMap(\.self)
            + [SortKey(.fields(catalog.names(of: .created), ranks: nil))]
    }

    /// A field's value for sorting.
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

    /// Returns whether a record with the left value is before a record with the right one; nil if they are equal.
    func precedes(_ left: Value?, _ right: Value?) -> Bool? {
        guard let left, let right else { return left == nil && right == nil ? nil : left != nil }
        if left == right { return nil }
        return (left < right) != descending
    }
}
