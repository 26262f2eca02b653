/// What to sort by.
public struct SortKey: Sendable, Equatable {
    /// The field.
    public let field: String
    /// Whether the largest comes first.
    public let descending: Bool
    private let aspect: Aspect

    /// What of a record counts.
    private enum Aspect {
        case field, isClosed, isNote
    }

    /// Sorts by a field, high priorities before low ones; records without it come last, either way.
    public init(_ field: String, descending: Bool = false) { self.init(field, descending: descending, .field) }

    private init(_ field: String, descending: Bool = false, _ aspect: Aspect) {
        self.field = field
        self.descending = descending
        self.aspect = aspect
    }

    /// The most pressing first: what is to be done by due date, tasks before notes, then by priority and age; then what is
    /// done, the last first.
    public static let standard = [
        SortKey("status", .isClosed), SortKey("end", descending: true), SortKey("due"), SortKey("collection", .isNote),
        SortKey("priority"), SortKey("entry"),
    ]

    /// A field's value as it sorts.
    enum Value: Comparable {
        case number(Double)
        case text(String)
    }

    func value(of row: QueryRow) -> Value? {
        switch aspect {
        case .field: value(in: row.fields)
        case .isClosed: .number(TaskRecord(fields: row.fields).status.isOpen ? 0 : 1)
        case .isNote: .number(row.collection == NoteRecord.type.collection ? 1 : 0)
        }
    }

    private func value(in fields: JSONObject) -> Value? {
        guard let value = fields[field] else { return nil }
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
