public import ControllerKit
internal import LocalStore
public import Records
public import struct Records.Record

extension Services {
    /// When and where dates are read.
    var dates: DateExpression.Context { .init(now: now(), calendar: calendar) }

    /// Reads the words of `add`, `note` and `edit`, and what was given beside them.
    ///
    /// - Throws: `Failure` of category `usage` when something is given both ways; `InputError`.
    func edit(_ words: [String], title: String? = nil, body: String? = nil) throws -> TypedEdit {
        let edit = try Edit(words, dates: dates, catalog: types.catalog)
        if title != nil, let other = edit.fields[.title] {
            throw Failure(.usage, "The title is given twice: by --title and by “\(other)”.")
        }
        if body != nil, edit.fields[FieldKey.body.name] != nil {
            throw Failure(.usage, "The body is given twice: by a file and by “body:”.")
        }
        return TypedEdit(words: edit, title: title, body: body)
    }

    /// How a due that was typed is understood, for a notice: `, due today 15:00, which is past`; empty where none was.
    func dueTold(in edit: Edit) -> String {
        guard let due = edit.fields[.due] else { return "" }
        let words = ", due " + DateWords(dates).words(for: due)
        return Horizon(dates).isOverdue(due) ? words + ", which is past" : words
    }

    /// Makes a record of what was typed, and returns its key and title.
    ///
    /// - Parameter command: what the person said, for the journal.
    func create(
        _ fields: JSONObject, in type: RecordType, _ edit: TypedEdit, command: String
    ) async throws -> (RecordKey, String) {
        let whole = fields.applying(try edit.patch(for: fields))
        guard let title = edit.words.fields[.title] else {
            throw Failure(.usage, "The title is missing: say what it is, for instance “Buy milk”.")
        }
        let key = RecordKey(collection: type.collection, id: makeID())
        try await store.command(command) { _ = try $0.checkedEdit(key, whole) }
        return (key, title)
    }
}

/// An edit as it was typed: the words, and what was given beside them.
struct TypedEdit: Sendable {
    var words: Edit
    /// The new title; nil: as the words say.
    var title: String?
    /// The new body; empty removes it; nil: as the words say.
    var body: String?

    /// The patch that carries it out on a record with these fields.
    func patch(for fields: JSONObject) throws(InputError) -> JSONObject {
        var patch = try words.patch(for: fields)
        if let title { patch[.title] = title }
        if let body { patch[FieldKey.body.name] = body.isEmpty ? .null : .string(body) }
        return patch
    }
}

extension Cache {
    /// Edits a record, and carries out what its type's policy says follows, if every field and the record as a whole stay within
    /// their limits; else nothing is stored.
    ///
    /// - Parameters:
    ///   - moments: as with `edit`.
    ///   - isFormer: whether the values stood in the record before; then only its whole size counts.
    /// - Throws: `InvalidField`; `Failure` of category `usage`.
    func checkedEdit(
        _ key: RecordKey, _ patch: JSONObject, moments: [String: HLC] = [:], isFormer: Bool = false
    ) throws -> Record {
        if !isFormer { try FieldLimits.check(patch, types.catalog(for: key.collection)) }
        let policy = types[key.collection].policy
        let mayHaveConsequences = !policy.triggers.isDisjoint(with: patch.names)
        let before = mayHaveConsequences ? try cached(key)?.record : nil
        let record = try edit(key, patch, moments: moments)
        let size = record.fields.text.utf8.count
        // Thrown inside the transaction, which undoes the edit.
        if size > FieldLimits.fieldsBytes {
            throw Failure(
                .usage,
                "The record would have \(size) bytes where \(FieldLimits.fieldsBytes) are allowed; nothing was changed. "
                    + (isFormer ? "Choose `edit`, and shorten it." : "Shorten it, or make two of it."))
        }
        // An import applies what the file has.
        if !isFormer, patch[Record.importMarkField] == nil {
            try policy.check(record, after: patch)
        }
        if mayHaveConsequences { try followUp(from: before, to: record) }
        return record
    }
}

extension InputError: PersonFacing {
    public var category: Failure.Category { .usage }
    public var message: String { description }
}

extension InvalidRecord: PersonFacing {
    public var category: Failure.Category { .usage }
    public var message: String { description }
}

extension InvalidField: PersonFacing {
    public var category: Failure.Category { .usage }
    public var message: String { description }
}
