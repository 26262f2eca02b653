public import Records
internal import SyncAPI
public import LocalStore

/// What a sync did.
public struct SyncReport: Sendable, Equatable {
    /// Records that came from the server and were taken as they were.
    public var pulled = 0
    /// Edits that the server acknowledged.
    public var pushed = 0
    /// Records of which edits of two devices were merged.
    public var merged = 0
    /// Records that were deleted here, had been edited elsewhere, and are back: an edit wins.
    public var revived = 0
    /// Conflicts that merges newly put into the inbox.
    public var conflicts = 0
    /// Records that the server refused, and why; they stay here until they are edited.
    public var rejected: [RecordKey: Rejection] = [:]
    /// Records that were left out, since they are larger on the server than this device receives, with their bytes there.
    public var oversized: [RecordKey: Int] = [:]
    /// Why everything was read again, if it was; the person is told once.
    public var fullReads: [FullRead] = []
    /// Requests that were answered.
    public var requests = 0

    public init() {}
}

extension Rejection {
    /// What is kept of a server's problem.
    init(_ problem: Problem) { self.init(code: problem.code.rawValue, reason: problem.detail ?? problem.title) }
}

/// Why a sync couldn't be finished. Nothing is lost: what was unsent still is.
public enum SyncFailure: Error, Sendable, Equatable {
    /// Nobody has signed in on this home.
    case noAccount
    /// Another process of this home is syncing: this one doesn't wait, or has waited for `SyncGate.waitLimit`. Nil: the
    /// process is unknown.
    case busyElsewhere(LockHolder?)
    /// The digests differ even after everything was read again: server and client disagree about what there is.
    case digestMismatch
    /// The server keeps answering that the records have changed meanwhile.
    case noProgress
}

extension SyncFailure {
    /// What happened and what to do next, for the person.
    public var message: String {
        switch self {
        case .noAccount: "Not signed in: run `register NAME --server URL` or `login NAME --server URL`."
        case .busyElsewhere(let holder?) where holder.isThisProcess:
            "This session is still syncing\(holder.localTime.map { ", since " + $0 } ?? ""). What is unsent stays here. Try "
                + "again later."
        case .busyElsewhere(let holder):
            "Another process with this home\(Self.words(for: holder)) is still syncing. What is unsent stays here. Try again "
                + "later, or end that process."
        case .digestMismatch:
            "The server doesn't hold what it says it does, even after reading everything again. Nothing was lost here; "
                + "tell the server's owner."
        case .noProgress:
            "Other devices change the same records all the time; what is unsent stays here. Try again later."
        }
    }

    private static func words(for holder: LockHolder?) -> String {
        guard let holder else { return "" }
        return " (process \(holder.process)\(holder.localTime.map { ", since " + $0 } ?? ""))"
    }
}

extension SyncReport {
    /// Counts in what one more answer brought.
    mutating func add(_ other: SyncReport) {
        pulled += other.pulled
        pushed += other.pushed
        merged += other.merged
        revived += other.revived
        conflicts += other.conflicts
        rejected.merge(other.rejected) { $1 }
        oversized.merge(other.oversized) { $1 }
    }
}
