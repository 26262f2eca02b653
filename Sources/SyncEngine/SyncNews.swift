public import LocalStore
internal import Records

/// What came of syncs that nobody asked for, and that the person must be told once. It waits in the home's note until
/// somebody is there to hear it.
public struct SyncNews: Sendable, Equatable {
    /// Conflicts that are newly in the inbox.
    public var conflicts = 0
    /// Records that were deleted here, had been edited elsewhere, and are back.
    public var revived = 0
    /// Records that the server refused.
    public var refused = 0
    /// Why everything was read again, each reason once; a device's first read is no news.
    public private(set) var fullReads: [FullRead] = []

    /// Nothing.
    public init() {}

    /// What is news of a sync's report.
    public init(_ report: SyncReport) {
        (conflicts, revived, refused) = (report.conflicts, report.revived, report.rejected.count)
        for read in report.fullReads { add(read) }
    }

    /// Whether there is nothing to tell.
    public var isEmpty: Bool { self == SyncNews() }

    /// Adds what is news of a later sync.
    public mutating func add(_ later: SyncNews) {
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

// MARK: - In the cache

extension SyncNews {
    /// The news as the cache keeps it; what can't be understood was written by another version, and is left out.
    init(_ json: JSONValue) {
        let members = json.object ?? [:]
        func count(_ name: String) -> Int { members[name]?.integer.flatMap { Int(exactly: $0) } ?? 0 }
        (conflicts, revived, refused) = (count("conflicts"), count("revived"), count("refused"))
        for read in (members["fullReads"]?.array ?? []).compactMap(FullRead.init(json:)) { add(read) }
    }

    /// See `init(_:)`.
    var json: JSONValue {
        [
            "conflicts": .integer(Int64(conflicts)), "revived": .integer(Int64(revived)),
            "refused": .integer(Int64(refused)), "fullReads": .array(fullReads.map(\.json)),
        ]
    }
}

extension Cache {
    /// What waits to be told; it is told then, and waits no more.
    public func takeNews() throws -> SyncNews {
        let news = try note().news
        try updateNote { $0.news = SyncNews() }
        return news
    }
}
