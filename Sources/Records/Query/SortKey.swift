/// What to sort by.
public struct SortKey: Sendable, Equatable {
    /// The field.
    public let field: String
    /// Whether the largest comes first.
    public let descending: Bool

    /// Sorts by a field, high priorities before low ones; records without it come last, either way.
    public init(_ field: String, descending: Bool = false) {
        self.field = field
        self.descending = descending
    }

    /// The most pressing first: by due date, then priority, then age.
    public static let standard = [SortKey("due"), SortKey("priority"), SortKey("entry")]

    /// A field's value as it sorts.
    enum Value: Comparable {
        case number(Double)
        case text(String)
    }

    func value(of row: QueryRow) -> Value? {
        guard let value = row.fields[field] else { return nil }
        if field == "priority" {
            return value.string.flatMap(TaskRecord.Priority.init).map { .number($0.rank) }
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

extension TaskRecord.Priority {
    /// The place in a sorted list.
    fileprivate var rank: Double {
        switch self {
        case .high: 0
        case .medium: 1
        case .low: 2
        }
    }
}
