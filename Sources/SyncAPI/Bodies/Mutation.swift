public import Records

/// A change that a device requests (SyncAPI.docc/Protocol.md, "Changes").
public struct Mutation: Sendable, Equatable {
    /// The key of the record to change.
    public var key: RecordKey
    /// The version that the device had seen; 0 for a record that it created.
    public var base: Int64
    /// The time of the edit, for every field that `clock` doesn't name; nil if `clock` names all of them.
    public var at: HLC?
    /// The clocks of a merged record, or those that a deletion had seen.
    public var clock: FieldClocks?
    /// The change.
    public var action: Action

    /// The change of the record.
    public enum Action: Sendable, Equatable {
        /// Replaces each named top-level field; `null` removes it.
        case set(JSONObject)
        /// Makes the record a tombstone.
        case delete
    }

    public init(key: RecordKey, base: Int64, at: HLC?, clock: FieldClocks? = nil, action: Action) {
        self.key = key
        self.base = base
        self.at = at
        self.clock = clock
        self.action = action
    }

    /// The mutation's JSON.
    public var json: JSONValue {
        var members: JSONObject = [
            "collection": .string(key.collection), "id": .string(key.id), "base": .integer(base),
        ]
        members["at"] = at.map { .string($0.description) }
        members["clock"] = clock?.json
        switch action {
        case .set(let fields): members["set"] = .object(fields)
        case .delete: members["delete"] = true
        }
        return .object(members)
    }

    /// Parses a mutation; nil if it has another shape. An `at` or `clock` of the wrong form counts as missing.
    public init?(json: JSONValue) {
        guard let members = json.object, let collection = members["collection"]?.string, let id = members["id"]?.string,
            let base = members["base"]?.integer, base >= 0
        else { return nil }
        let action: Action
        switch (members["set"], members["delete"]) {
        case (let set?, nil):
            guard let fields = set.object else { return nil }
            action = .set(fields)
        case (nil, let delete?):
            // `false` has no meaning: it names no other change.
            guard delete.bool == true else { return nil }
            action = .delete
        case (_?, _?), (nil, nil): return nil
        }
        self.init(
            key: RecordKey(collection: collection, id: id), base: base, at: members["at"]?.string.flatMap(HLC.init),
            clock: members["clock"].flatMap(FieldClocks.init(json:)), action: action)
    }

    /// Whether each field that is set has a clock.
    var hasClocks: Bool {
        guard case .set(let changes) = action, at == nil, clock?.moments["*"] == nil else { return true }
        // A creation needs a clock for all fields (`*`), so `at` or that entry.
        guard base != 0, let moments = clock?.moments else { return false }
        return changes.names.allSatisfy { moments[$0] != nil }
    }

    // Plain strings: a name of the wrong form is rejected as a mutation, with the rest of the request applied.
    static let schema: BodySchema = .object(
        [
            .required("collection", .string), .required("id", .string), .required("base", .version),
            .optional("at", .clock), .optional("clock", .clocks), .optional("set", .anyObject),
            .optional("delete", .constant(true)),
        ], exactlyOneOf: ["set", "delete"]
    ).named("Mutation")
}

/// The result of a mutation.
public enum MutationResult: Sendable, Equatable {
    /// The mutation was applied; the clocks are those that the server stored.
    case applied(version: Int64, modifiedAt: String, clock: FieldClocks)
    /// The record's version was not the base; `current` is nil if the server doesn't know the record.
    case conflict(current: Record?)
    /// The record's version was not the base, and the answer has no room for the server's record. The next pages
    /// contain it, since it changed after what the device had seen.
    case conflictWithoutCurrent
    /// The mutation can never succeed in this form.
    case rejected(Problem)

    /// Parses a result; nil if it has none of these shapes.
    public init?(json: JSONValue) {
        guard let members = json.object, let status = members["status"]?.string else { return nil }
        switch status {
        case "applied":
            guard let version = members["version"]?.integer, let modifiedAt = members["modifiedAt"]?.string,
                let clock = members["clock"].flatMap(FieldClocks.init(json:))
            else { return nil }
            self = .applied(version: version, modifiedAt: modifiedAt, clock: clock)
        case "conflict":
            switch members["current"] {
            // A missing member and null differ: null means that the server doesn't know the record.
            case nil: self = .conflictWithoutCurrent
            case .some(.null): self = .conflict(current: nil)
            case .some(let current):
                guard let record = Record(json: current) else { return nil }
                self = .conflict(current: record)
            }
        case "rejected":
            guard let problem = members["problem"] else { return nil }
            // The problem is a part of an answer, so no HTTP status comes with it.
            self = .rejected(Problem(json: problem, status: problem.object?["status"]?.integer.map(Int.init) ?? 422))
        // An unknown result isn't treated as one of these: `AnswerMember.results` then refuses the whole answer.
        default: return nil
        }
    }
}

extension MutationResult {
    static let schema: BodySchema = .oneOf([
        .object([
            .required("status", .constant("applied")), .required("version", .version),
            .required("modifiedAt", .moment), .required("clock", .clocks),
        ]),
        .object([
            .required("status", .constant("conflict")), .optional("current", .oneOf([RawRecord.schema, .null])),
        ]),
        .object([.required("status", .constant("rejected")), .required("problem", Problem.schema)]),
    ]).named("MutationResult")
}

/// The results of a push, joined as text; `MutationResult.init(json:)` parses one.
public struct MutationResultList: Sendable {
    /// The results' JSON with commas between them.
    public private(set) var bytes: [UInt8] = []

    /// Creates an empty list.
    public init() {}

    /// A result whose parts are JSON texts.
    public enum Result: Sendable {
        /// See `MutationResult.applied`; `clock` is a JSON object.
        case applied(version: Int64, modifiedAt: String, clock: String)
        /// See `MutationResult.conflict`.
        case conflict(current: RawRecord?)
        /// See `MutationResult.conflictWithoutCurrent`.
        case conflictWithoutCurrent
        /// See `MutationResult.rejected`; `problem` is a JSON object.
        case rejected(problem: String)
    }

    /// Adds a result.
    public mutating func append(_ result: Result) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: ",")) }
        switch result {
        case .applied(let version, let modifiedAt, let clock):
            // Without escaping: the server wrote the time, and the clock is JSON.
            append(
                #"{"clock":\#(clock),"modifiedAt":"\#(modifiedAt)","status":"applied","version":\#(version)}"#)
        case .conflict(let current?):
            append(#"{"current":"#)
            current.append(to: &bytes)
            append(#","status":"conflict"}"#)
        case .conflict(nil): append(#"{"current":null,"status":"conflict"}"#)
        case .conflictWithoutCurrent: append(#"{"status":"conflict"}"#)
        case .rejected(let problem): append(#"{"problem":\#(problem),"status":"rejected"}"#)
        }
    }

    private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// The largest size of a result in bytes, without its clock, record or problem.
    public static let overhead = 128
}

extension MutationResultList.Result {
    /// Creates a result with its parts written as texts.
    public init(_ result: MutationResult) {
        switch result {
        case .applied(let version, let modifiedAt, let clock):
            self = .applied(version: version, modifiedAt: modifiedAt, clock: clock.json.text)
        case .conflict(let current): self = .conflict(current: current.map(RawRecord.init))
        case .conflictWithoutCurrent: self = .conflictWithoutCurrent
        case .rejected(let problem): self = .rejected(problem: problem.json.text)
        }
    }
}
