public import LocalStore
public import Records

/// What a sync has done.
public struct SyncResult: Sendable, Equatable {
    /// Records that came from the server.
    public var pulled = 0
    /// Edits that the server acknowledged.
    public var pushed = 0
    /// Records of which edits of two devices were merged.
    public var merged = 0
    /// Records that were deleted here, had been edited elsewhere, and are live again: an edit wins over a deletion.
    public var revived = 0
    /// New conflicts.
    public var conflicts = 0
    /// Records that the server refused, and why; they stay here until they are edited.
    public var rejected: [RecordKey: Rejection] = [:]
    /// Records that were left out, since they are larger on the server than this device receives, with their bytes there.
    public var oversized: [RecordKey: Int] = [:]
    /// Why everything was read again, if it was.
    public var fullReads: [FullRead] = []
    /// Requests that were answered.
    public var requests = 0

    public init() {}
}

extension SyncResult {
    /// Adds what another answer has brought.
    mutating func add(_ other: SyncResult) {
        pulled += other.pulled
        pushed += other.pushed
        merged += other.merged
        revived += other.revived
        conflicts += other.conflicts
        rejected.merge(other.rejected) { $1 }
        oversized.merge(other.oversized) { $1 }
    }
}

/// Why a sync couldn't be finished. Nothing is lost: what was unsent still is. New cases may be added.
public enum SyncFailure: Error, Sendable, Equatable {
    /// No account has signed in on this home.
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
            "This session is still syncing\(holder.localTime.map { ", since " + $0 } ?? ""). Unsent edits stay here. Try "
                + "again later."
        case .busyElsewhere(let holder):
            "Another process with this home\(Self.description(of: holder)) is still syncing. Unsent edits stay here. Try again "
                + "later, or end that process."
        case .digestMismatch:
            "The server's records don't match its digest, even after reading everything again. Nothing was lost here; "
                + "inform the server's owner."
        case .noProgress:
            "Other devices keep changing the same records. Unsent edits stay here. Try again later."
        }
    }

    private static func description(of holder: LockHolder?) -> String {
        guard let holder else { return "" }
        return " (process \(holder.process)\(holder.localTime.map { ", since " + $0 } ?? ""))"
    }
}

/// How far a sync is. It is reported between requests, if there is more than one.
public struct SyncProgress: Sendable, Equatable {
    /// What is being done.
    public let phase: Phase
    /// Records that are done in this phase, since the sync began.
    public let done: Int
    /// About how many there will be; nil: unknown.
    public let total: Int?

    /// What a sync does with records. New cases may be added.
    public enum Phase: Sendable {
        /// Receiving the server's records.
        case receiving
        /// Sending the records that were edited here.
        case sending
        /// Comparing the cache with the server.
        case comparing
    }

    /// A state of a sync.
    public init(_ phase: Phase, _ done: Int, of total: Int? = nil) {
        (self.phase, self.done, self.total) = (phase, done, total)
    }
}

extension SyncProgress {
    /// Counts what a sync has done, and reports it if the sync takes several requests.
    struct Counter {
        private let report: (@Sendable (SyncProgress) -> Void)?
        private var received = 0
        private var sent = 0
        /// How many records will have been received when everything is read; nil: unknown.
        private var expected: Int?

        init(_ report: (@Sendable (SyncProgress) -> Void)?) { self.report = report }

        /// Whether the progress is reported.
        var isObserved: Bool { report != nil }

        /// A read of the whole space begins.
        func beginsReading() { report?(SyncProgress(.receiving, received)) }

        /// So many more records will have been received when everything is read; known before the first page is counted.
        mutating func expects(_ records: Int) { expected = received + records }

        /// A page was applied.
        ///
        /// - Parameter more: whether another one follows.
        mutating func received(_ records: Int, more: Bool) {
            received += records
            // The space may have grown since.
            if more || received > records {
                report?(SyncProgress(.receiving, received, of: expected.map { max($0, received) }))
            }
            if !more { expected = nil }
        }

        /// A batch was answered.
        ///
        /// - Parameter left: how many records are still to be sent.
        mutating func sent(_ records: Int, left: Int) {
            sent += records
            if left > 0 || sent > records { report?(SyncProgress(.sending, sent, of: sent + left)) }
        }
    }
}
