public import Records

/// One change that a device requests (SyncAPI.docc/Protocol.md, "Changes").
public struct Mutation: Sendable, Equatable {
    /// The record that is to change.
    public var key: RecordKey
    /// The version that the device had seen; 0 for a record that it made.
    public var base: Int64
    /// When the edit was made, for every field that `clock` doesn't name; nil where `clock` says it all.
    public var at: HLC?
    /// The clocks of a merged record or of a deletion (those it had seen).
    public var clock: FieldClocks?
    /// What is to become of it.
    public var action: Action

    /// What is to become of the record.
    public enum Action: Sendable, Equatable {
        /// Each named top-level field is replaced whole; `null` removes it.
        case set(JSONObject)
        /// The record becomes a tombstone.
        case delete
    }

    public init(key: RecordKey, base: Int64, at: HLC?, clock: FieldClocks? = nil, action: Action) {
        self.key = key
        self.base = base
        self.at = at
        self.clock = clock
        self.action = action
    }

    /// The mutation as on the wire.
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
}

/// What became of a mutation.
public enum MutationResult: Sendable, Equatable {
    /// The record is as the mutation asked; the clocks are those that the server took.
    case applied(version: Int64, modifiedAt: String, clock: FieldClocks)
    /// The record's version was not the base; `current` is nil when the server doesn't know the record.
    case conflict(current: Record?)
    /// The record's version was not the base, and the answer has no room for what the server has: the next pages bring
    /// it, since it changed after what the device had seen.
    case conflictUntold
    /// It can never succeed as it stands.
    case rejected(Problem)

    /// The result as on the wire.
    public var json: JSONValue {
        switch self {
        case .applied(let version, let modifiedAt, let clock):
            ["status": "applied", "version": .integer(version), "modifiedAt": .string(modifiedAt), "clock": clock.json]
        case .conflict(let current): ["status": "conflict", "current": current?.json ?? .null]
        case .conflictUntold: ["status": "conflict"]
        case .rejected(let problem): ["status": "rejected", "problem": problem.json]
        }
    }

    /// Reads a result; nil if it is of none of these shapes.
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
            case nil: self = .conflictUntold
            case .some(.null): self = .conflict(current: nil)
            case .some(let current):
                guard let record = Record(json: current) else { return nil }
                self = .conflict(current: record)
            }
        case "rejected":
            guard let problem = members["problem"] else { return nil }
            self = .rejected(Problem(json: problem, status: problem.object?["status"]?.integer.map(Int.init) ?? 422))
        default: return nil
        }
    }
}

/// The limits that both sides keep; a server tells its own at `GET /v1/`.
public enum Limits {
    /// Mutations in one request.
    public static let mutations = 1_000
    /// Records on one page when the request doesn't say.
    public static let pageDefault = 1_000
    /// Records on one page at most.
    public static let pageMaximum = 5_000
    /// The size of a page at which it ends early, in bytes; in all as much of a push's answer is `current`.
    public static let pageBytes = 4 << 20
    /// The size of a record's fields, in bytes.
    public static let fieldsBytes = 1 << 20
    /// The size of a record's fields and clocks together, in bytes.
    public static let recordBytes = 2 << 20
    /// The size of a request's body, in bytes.
    public static let bodyBytes = 8 << 20
    /// The number of values in a request's body, counted at every depth: small values need much more memory than their
    /// text.
    public static let bodyValues = 200_000
    /// The bytes of the records that one request may change, counted before and after the change.
    public static let changedBytes = 16 << 20
    /// A password's length in bytes of UTF-8.
    public static let passwordBytes = 8...1_024
}

/// The sizes of answers. Each limit is larger than the one before, so that everything a server stores can be received.
extension Limits {
    /// A record on the wire: its fields and clocks, and the other members: names of at most 64 bytes, and numbers.
    public static let recordOnWire = recordBytes + 1 << 10
    /// A page of changes, of records or of revisions: it ends with the record that exceeds `pageBytes`.
    public static let largestPage = pageBytes + recordOnWire + 1 << 10
    /// The records of conflicts in the results of a push: they end with the record that exceeds `pageBytes`.
    public static let largestConflicts = pageBytes + recordOnWire
    /// The answer to a push: a page, as many bytes of conflicts' records, the clocks of applied mutations, and the
    /// other members of each result. The problem of a rejected mutation has a few hundred bytes.
    public static let largestPushAnswer = largestPage + largestConflicts + changedBytes + mutations << 10
    /// The largest answer that a client receives as a whole; a larger one ends the exchange.
    public static let largestAnswer = 64 << 20
    /// The largest record that a client receives from a server that has other limits; a larger one is left out and named.
    public static let largestReceivedRecord = 16 << 20
}

/// The names of headers that both sides use.
public enum Header {
    /// Names a push, so that sending it again does nothing twice.
    public static let idempotencyKey = "Idempotency-Key"
    /// Names a request; it stands in the server's log too.
    public static let requestID = "X-Request-ID"

    /// Whether two names are one: they are ASCII, and know no case (RFC 9110, 5.1).
    public static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.count == other.utf8.count
            && zip(one.utf8, other.utf8).allSatisfy { lowered($0) == lowered($1) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
