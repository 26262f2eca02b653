public import Backend
public import LocalStore
public import Records

/// What a home remembers of its last sync, whoever did it: so that any process can tell why something isn't synced.
///
/// Moments are RFC 3339 in UTC. It is a fact of this machine and never synced.
public struct SyncNote: Sendable, Equatable {
    /// When a sync was tried last.
    public var attemptedAt: String?
    /// When this home was last in step with the server.
    public var syncedAt: String?
    /// Since when the server can't be reached: the first such failure after the last success.
    public var offlineSince: String?
    /// Before this moment nobody tries again by themselves.
    public var retryAt: String?
    /// What stopped the last sync; nil: nothing.
    public var problem: Problem?
    /// What came of syncs that nobody asked for, and was told to nobody yet.
    public var news = SyncNews()
    /// The session end that was reported to the person; nil: none since the last sign-in.
    public var reportedEnd: SessionEnd?

    /// What stopped a sync.
    public struct Problem: Sendable, Equatable {
        /// For programs.
        public var kind: Kind
        /// What happened and what to do, for the person.
        public var message: String

        /// A problem of this kind, told by this message.
        public init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }
    }

    /// The kinds of problems that a person deals with differently.
    public enum Kind: String, Sendable, Codable, CaseIterable {
        /// The server can't be reached, or doesn't answer as a server.
        case unreachable
        /// Somebody must sign in.
        case signedOut = "signed-out"
        /// The server was reached, and has asked for patience.
        case waiting
        /// The server was reached, and can't store anything: its disk is full.
        case serverFull = "server-full"
        /// The server was reached and has refused.
        case refused
        /// Anything else: this machine's disk, say.
        case failed
    }

    public init() {}
}

// MARK: - What happens to it

extension SyncNote {
    /// A sync has brought the home into step.
    public mutating func succeeded(at moment: Timestamp) {
        let news = news
        self = SyncNote()
        self.news = news
        (attemptedAt, syncedAt) = (moment.description, moment.description)
    }

    /// A sync was stopped.
    public mutating func failed(_ problem: Problem, at moment: Timestamp) {
        attemptedAt = moment.description
        offlineSince = problem.kind == .unreachable ? offlineSince ?? moment.description : nil
        retryAt = nil
        self.problem = problem
    }
}

// MARK: - In the cache

extension SyncNote {
    /// The note as the cache keeps it; what can't be understood was written by another version, and is left out.
    public init(_ json: JSONValue) {
        let members = json.object ?? [:]
        attemptedAt = members["attemptedAt"]?.string
        syncedAt = members["syncedAt"]?.string
        offlineSince = members["offlineSince"]?.string
        retryAt = members["retryAt"]?.string
        news = SyncNews(members["news"] ?? .null)
        reportedEnd = members["reportedEnd"]?.string.flatMap(SessionEnd.init)
        guard let message = members["problem"]?.string else { return }
        problem = Problem(members["kind"]?.string.flatMap(Kind.init) ?? .failed, message)
    }

    /// See `init(_:)`.
    public var json: JSONValue {
        var members = JSONObject()
        members["attemptedAt"] = attemptedAt.map(JSONValue.string)
        members["syncedAt"] = syncedAt.map(JSONValue.string)
        members["offlineSince"] = offlineSince.map(JSONValue.string)
        members["retryAt"] = retryAt.map(JSONValue.string)
        members["problem"] = (problem?.message).map(JSONValue.string)
        members["kind"] = (problem?.kind.rawValue).map(JSONValue.string)
        members["news"] = news.isEmpty ? nil : news.json
        members["reportedEnd"] = (reportedEnd?.rawValue).map(JSONValue.string)
        return .object(members)
    }
}

extension Cache {
    /// What is remembered of the last sync.
    public func note() throws -> SyncNote { try syncNote().map(SyncNote.init) ?? SyncNote() }

    /// Changes what is remembered.
    public func updateNote(_ change: (inout SyncNote) -> Void) throws {
        let before = try note()
        var note = before
        change(&note)
        if note != before { try setSyncNote(note.json) }
    }

    /// What stopped the last sync is over: somebody has signed in since.
    public func forgetSyncProblem() throws {
        try updateNote { ($0.problem, $0.offlineSince, $0.retryAt, $0.reportedEnd) = (nil, nil, nil, nil) }
    }
}
