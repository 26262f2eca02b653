/// The rule by which records of a type are completed and reopened. It is derived from the first field with values that
/// close a record: the first of these values completes a record, the first other value reopens it.
public struct ClosingRule: Sendable, Equatable {
    /// The field whose value closes a record.
    public let field: String
    /// The value of an open record; also the meaning of a missing field.
    public let open: String
    /// The value of a completed record.
    public let done: String
    /// All values of the field, including those of open records.
    let choices: [Choice]
    /// The field with the time of completion.
    private let moment: String?
    /// The rule by which completing a record ends the work on it.
    private let work: WorkRule?

    init?(of fields: [Field]) {
        for field in fields {
            guard let choices = field.kind.choices?.filter(\.isOffered), let done = choices.first(where: \.isClosed),
                let open = choices.first(where: { !$0.isClosed })
            else { continue }
            self.field = field.name
            self.choices = field.kind.choices ?? []
            (self.open, self.done) = (open.value, done.value)
            moment = fields.first { $0.role == .closed }?.name
            work = WorkRule(of: fields)
            return
        }
        return nil
    }

    /// Returns whether the fields are those of a closed record.
    func isClosed(_ fields: JSONObject) -> Bool {
        guard let value = fields[field]?.string else { return false }
        return choices.contains { $0.isClosed && $0.value == value }
    }

    /// Returns whether other records wait for a record with these fields.
    func holdsUpOthers(_ fields: JSONObject) -> Bool {
        guard let value = fields[field]?.string else { return true }
        return choices.first { $0.value == value }?.holdsUpOthers ?? true
    }

    /// Returns the value of the field in a record.
    public func state(of fields: JSONObject) -> String { fields[field]?.string ?? open }

    /// Returns the word of a list for a value: `done`; nil for the usual value.
    public func mark(of state: String) -> String? {
        state == open ? nil : choices.first { $0.value == state }?.names.first ?? state
    }

    /// Returns the change that completes a record and ends the work on it; empty if it is completed.
    public func completing(_ fields: JSONObject, at now: Timestamp) -> JSONObject { change(fields, to: done, at: now) }

    /// Returns the change that reopens a record; empty if it is open.
    public func reopening(_ fields: JSONObject) -> JSONObject { change(fields, to: open, at: nil) }

    private func change(_ fields: JSONObject, to state: String, at now: Timestamp?) -> JSONObject {
        if self.state(of: fields) == state { return [:] }
        var changed = fields
        changed[field] = .string(state)
        if let moment { changed[FieldKey<Timestamp>(moment)] = now }
        if let now, let work { changed = changed.applying(work.stopping(fields, at: now)) }
        return changed.patch(from: fields)
    }
}

/// The rules by which records are completed, by collection: types may use the same field name with different values.
struct ClosingRules: Sendable, Equatable {
    /// The rules in the order of the types, each once.
    let all: [ClosingRule]
    private let byCollection: [String: ClosingRule]

    /// - Parameter rules: The rules of the collections whose records can be completed.
    init(_ rules: [(collection: String, rule: ClosingRule)]) {
        all = rules.map(\.rule).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        byCollection = Dictionary(rules.map { ($0.collection, $0.rule) }) { first, _ in first }
    }

    /// Returns whether other records wait for a record; never if records of its type can't be completed.
    func holdsUpOthers(_ row: QueryRow) -> Bool { byCollection[row.collection]?.holdsUpOthers(row.fields) ?? false }

    /// Returns whether records of a collection can be completed.
    func canClose(_ collection: String) -> Bool { byCollection[collection] != nil }

    /// Returns whether a record is closed; never if records of its type can't be completed.
    func isClosed(_ row: QueryRow) -> Bool { byCollection[row.collection]?.isClosed(row.fields) ?? false }
}
