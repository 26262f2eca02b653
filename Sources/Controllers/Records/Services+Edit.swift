public import ControllerKit
internal import LocalStore
public import Records

extension Services {
    /// When and where dates are read.
    var dates: DateExpression.Context { .init(now: now(), calendar: calendar) }

    /// Reads the words of `add`, `note` and `edit`.
    func edit(_ words: [String]) throws -> Edit { try Edit(words, dates: dates) }

    /// Makes a record of what was typed, and returns its key and title.
    func create(_ fields: JSONObject, in type: RecordType, words: [String], body: String?) async throws -> (
        RecordKey, String
    ) {
        let edit = try edit(words)
        guard let title = edit.fields["title"]?.string else {
            throw Failure(.usage, "The title is missing: say what it is, for instance “Buy milk”.")
        }
        var whole = fields.applying(edit.patch(for: fields))
        if let body, !body.isEmpty { whole["body"] = .string(body) }
        try FieldLimits.check(whole)
        let key = RecordKey(collection: type.collection, id: makeID())
        let record = whole
        try await store.write { _ = try $0.edit(key, record) }
        return (key, title)
    }
}

extension InputError: PersonFacing {
    public var category: Failure.Category { .usage }
    public var message: String { description }
}

extension InvalidField: PersonFacing {
    public var category: Failure.Category { .usage }
    public var message: String { description }
}
