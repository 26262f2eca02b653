/// A criterion of sorting.
struct SortKey: Sendable, Equatable {
    /// Whether the largest value is first.
    let descending: Bool
    private let aspect: Aspect

    /// The aspect of a record that is compared.
    private enum Aspect: Equatable {
        /// The group of a list: open records of types with a deadline, then those of each other type, then closed ones.
        case group(neverDue: [String], ClosingRules)
        /// The value of a field.
        case field(SortedField)
        /// The value of the field with a role.
        case role(RoleFields)
        /// The value of the field with a role if the record is closed.
        case roleIfClosed(RoleFields, ClosingRules)
        /// The time of the record's last edit.
        case lastEdit
        /// The urgency.
        case urgency(Urgency)
    }

    /// Sorts by a field, a choice in the order of its declaration; records without the field are last in both
    /// directions.
    init(_ field: Field, descending: Bool = false) {
        self.init(.field(SortedField(field)), descending: descending)
    }

    /// Returns the order by the time of the last edit.
    static func byLastEdit(descending: Bool) -> SortKey { SortKey(.lastEdit, descending: descending) }

    /// Whether the order needs `QueryRow.edited`.
    var readsEdits: Bool { aspect == .lastEdit }

    private init(_ aspect: Aspect, descending: Bool = false) {
        self.descending = descending
        self.aspect = aspect
    }

    /// Returns the default order: first the open records of types with a deadline, then those of each other type, each
    /// group by deadline, importance and age; finally closed records, the most recently closed first.
    ///
    /// Within a group, pinned records are first.
    ///
    /// Lists show these groups under headings, so the group is the first criterion: a note with the field `due` stays
    /// among the notes.
    ///
    /// - Parameter types: The fields of the types that a list shows.
    static func defaultOrder(for types: [(collection: String, catalog: FieldCatalog)], _ closings: ClosingRules)
        -> [SortKey]
    {
        let neverDue = types.filter { $0.catalog.field(with: .deadline) == nil }.map(\.collection)
        let isPinnable = types.contains { $0.catalog.field(with: .pinned) != nil }
        let fixed = [
            // An open record may have the field, too: another program may reopen a record and keep it.
            SortKey(.roleIfClosed(RoleFields(.closed, of: types), closings), descending: true),
            SortKey(.role(RoleFields(.deadline, of: types))), SortKey(.role(RoleFields(.importance, of: types))),
            SortKey(.role(RoleFields(.created, of: types))),
        ]
        // Only if a type has the field: each criterion is computed for each record.
        let pinned = isPinnable ? [SortKey(.role(RoleFields(.pinned, of: types)), descending: true)] : []
        return [SortKey(.group(neverDue: neverDue, closings))] + pinned + fixed
    }

    /// A field's value for sorting.
    enum Value: Comparable {
        case number(Double)
        case text(String)
    }

    /// Returns the order by urgency.
    static func urgency(_ urgency: Urgency, descending: Bool) -> SortKey {
        SortKey(.urgency(urgency), descending: descending)
    }

    /// Whether the order needs `QueryContext.links`.
    var readsLinks: Bool {
        if case .urgency = aspect { true } else { false }
    }

    func value(of row: QueryRow, in context: QueryContext, _ starts: inout DayStarts) -> Value? {
        switch aspect {
        case .group(let neverDue, let closings):
            let position = neverDue.firstIndex(of: row.collection).map { $0 + 1 } ?? 0
            return .number(Double(closings.isClosed(row) ? neverDue.count + 1 : position))
        case .field(let field): return field.value(in: row.fields, &starts)
        case .role(let fields): return fields.value(in: row, &starts)
        case .roleIfClosed(let fields, let closings):
            return closings.isClosed(row) ? fields.value(in: row, &starts) : nil
        case .lastEdit: return row.edited.map { .text($0.description) }
        case .urgency(let urgency): return urgency.value(of: row, in: context, &starts).map { .number($0) }
        }
    }

    /// Returns whether a record with the left value is before a record with the right one; nil if they are equal.
    func precedes(_ left: Value?, _ right: Value?) -> Bool? {
        guard let left, let right else { return left == nil && right == nil ? nil : left != nil }
        if left == right { return nil }
        return (left < right) != descending
    }
}

/// A field by which records are sorted.
private struct SortedField: Sendable, Equatable {
    private let name: String
    /// The values of a choice in their order; nil: the field isn't a choice.
    private let ranks: [String]?
    private let isDate: Bool

    init(_ field: Field) {
        name = field.name
        ranks = field.kind.choices?.map(\.value)
        isDate = field.kind.isDate
    }

    func value(in fields: JSONObject, _ starts: inout DayStarts) -> SortKey.Value? {
        guard let value = fields[name] else { return nil }
        if let ranks {
            return value.string.flatMap { ranks.firstIndex(of: $0) }.map { .number(Double($0)) }
        }
        // Another client may write the same time with another offset. A text that isn't a time is after all times.
        if isDate, let date = DateValue.read(value) { return .number(Double(starts.time(of: date).seconds)) }
        if let number = value.double { return .number(number) }
        if let flag = value.bool { return .number(flag ? 1 : 0) }
        // An empty text or set, which another client may store, counts as no value.
        let text = value.string ?? value.array?.compactMap(\.string).joined(separator: ",")
        return text.flatMap { $0.isEmpty ? nil : .text($0.lowercased()) }
    }
}

/// The fields with one role: that of each type, and for records of types without one, that of the first type.
private struct RoleFields: Sendable, Equatable {
    private let byCollection: [String: SortedField]
    private let other: SortedField?

    init(_ role: Field.Role, of types: [(collection: String, catalog: FieldCatalog)]) {
        var byCollection: [String: SortedField] = [:]
        var first: SortedField?
        for type in types {
            guard let field = type.catalog.field(with: role).map(SortedField.init) else { continue }
            byCollection[type.collection] = field
            first = first ?? field
        }
        self.byCollection = byCollection
        other = first
    }

    func value(in row: QueryRow, _ starts: inout DayStarts) -> SortKey.Value? {
        (byCollection[row.collection] ?? other)?.value(in: row.fields, &starts)
    }
}
