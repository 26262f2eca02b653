public import Backend
package import LocalStore
public import Records
internal import SyncAPI

/// The status of a home's syncs, which every process of the home updates, so that any process can say why something
/// isn't synced.
///
/// It belongs to this machine and is never synced.
public struct SyncStatus: Codable, Sendable, Equatable {
    /// The time of the last attempt.
    public var attemptedAt: Timestamp?
    /// The last time at which this home was in sync with the server.
    public var syncedAt: Timestamp?
    /// The time since which the server can't be reached: that of the first such failure after the last success.
    public var offlineSince: Timestamp?
    /// The moment before which no process tries again on its own.
    public var retryAt: Timestamp?
    /// The error that stopped the last sync; nil: none did.
    public var failure: Failure?
    /// The results of automatic syncs that were not reported yet; nil: none.
    public var news: News?
    /// The session end that was reported to the user; nil: none since the last sign-in.
    public var reportedEnd: SessionEnd?

    /// An error that stopped a sync.
    public struct Failure: Codable, Sendable, Equatable {
        /// The kind of the failure, for programs.
        public var kind: Kind
        /// The message to the user: what happened and what to do.
        public var message: String

        /// Creates a failure.
        public init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }
    }

    /// The kinds of failures that a person deals with differently. New cases may be added.
    public enum Kind: String, Codable, Sendable, CaseIterable {
        /// The server can't be reached, or doesn't answer as a server.
        case unreachable
        /// The user must sign in.
        case signedOut = "signed-out"
        /// The server was reached, and asks to try again later.
        case waiting
        /// The server was reached, and has refused.
        case refused
        /// The server was reached, and can't store anything: its disk is full.
        case serverFull = "server-full"
        /// The server was reached, and the account's quota is used up.
        case quotaExceeded = "quota-exceeded"
        /// Anything else, for instance this machine's disk.
        case failed
    }

    /// Creates the status of a home in which no sync was tried.
    public init() {}

    /// Decodes a status. A moment that can't be read counts as unknown, so that the rest of the status isn't lost.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // `try?`: see above.
        attemptedAt = try? container.decodeIfPresent(Timestamp.self, forKey: .attemptedAt)
        syncedAt = try? container.decodeIfPresent(Timestamp.self, forKey: .syncedAt)
        offlineSince = try? container.decodeIfPresent(Timestamp.self, forKey: .offlineSince)
        retryAt = try? container.decodeIfPresent(Timestamp.self, forKey: .retryAt)
        failure = try container.decodeIfPresent(Failure.self, forKey: .failure)
        news = try container.decodeIfPresent(News.self, forKey: .news)
        reportedEnd = try container.decodeIfPresent(SessionEnd.self, forKey: .reportedEnd)
    }
}

// MARK: - News

extension SyncStatus {
    /// The results of automatic syncs that the user should read once.
    public struct News: Codable, Sendable, Equatable {
        /// The number of new conflicts.
        public var conflicts = 0
        /// The number of records that were deleted here, had been edited elsewhere, and are live again.
        public var revived = 0
        /// The number of records that the server refused.
        public var refused = 0
        /// The reasons for which everything was read again, each once; the first read of a device is no news.
        public private(set) var fullReads: [FullRead] = []

        /// Creates empty news.
        public init() {}

        /// Creates the news of a sync's result.
        public init(_ result: SyncResult) {
            (conflicts, revived, refused) = (result.conflicts, result.revived, result.rejected.count)
            // A restore that has lost nothing of this home is no news: for instance that of an account without records.
            for read in result.fullReads where !read.isAfterRestore || result.lostByServer > 0 { add(read) }
        }

        /// Whether there are no news.
        public var isEmpty: Bool { self == News() }

        /// Adds the news of a later sync.
        package mutating func add(_ later: News) {
            conflicts += later.conflicts
            revived += later.revived
            refused += later.refused
            for read in later.fullReads { add(read) }
        }

        private mutating func add(_ read: FullRead) {
            switch read {
            case .first: break
            case .resync, .restored: if !fullReads.contains(read) { fullReads.append(read) }
            }
        }
    }

    /// Adds the news of a sync's result.
    mutating func addNews(of result: SyncResult) {
        var all = news ?? News()
        all.add(News(result))
        news = all.isEmpty ? nil : all
    }
}

// MARK: - Changes

extension SyncStatus {
    /// Records that a sync has brought the home into step.
    package mutating func succeeded(at moment: Timestamp) {
        let news = news
        // Success makes everything obsolete but the news, which the user has not read yet.
        self = SyncStatus()
        self.news = news
        (attemptedAt, syncedAt) = (moment, moment)
    }

    /// Records that an error stopped a sync.
    package mutating func failed(_ failure: Failure, at moment: Timestamp) {
        attemptedAt = moment
        offlineSince = failure.kind == .unreachable ? offlineSince ?? moment : nil
        retryAt = nil
        self.failure = failure
    }
}

// MARK: - In the cache

extension SyncStatus {
    /// Returns the stored status; one that another version stored and that can't be read counts as none.
    package static func stored(in cache: Cache) throws -> SyncStatus {
        guard let stored = try cache.settings.syncNote() else { return SyncStatus() }
        // Only a status is lost: the next sync replaces it.
        return (try? JSONBody.decode(SyncStatus.self, from: Array(stored.text.utf8))) ?? SyncStatus()
    }

    /// Changes the stored status.
    package static func update(in cache: Cache, _ change: (inout SyncStatus) -> Void) throws {
        let before = try stored(in: cache)
        var status = before
        change(&status)
        if status != before { try cache.settings.setSyncNote(JSONValue(parsing: JSONBody.encode(status))) }
    }

    /// Removes the news from the stored status and returns them; the caller must show them.
    package static func removeNews(in cache: Cache) throws -> News {
        let news = try stored(in: cache).news
        try update(in: cache) { $0.news = nil }
        return news ?? News()
    }

    /// Removes the failure of the last sync and the time of the last attempt, after the user has signed in: older edits
    /// are sent at once.
    package static func forgetFailure(in cache: Cache) throws {
        try update(in: cache) { status in
            (status.failure, status.offlineSince, status.retryAt, status.reportedEnd) = (nil, nil, nil, nil)
            status.attemptedAt = nil
        }
    }
}
