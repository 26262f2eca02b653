public import Backend
public import LocalStore
public import Records

/// The result of a sync.
public struct SyncResult: Sendable, Equatable {
    /// The number of records that came from the server.
    public var pulled = 0
    /// The number of edits that the server acknowledged.
    public var pushed = 0
    /// The number of records of a derived type, such as conflicts, among those that came from the server. Lists don't
    /// show them.
    public var pulledDerived = 0
    /// The number of edits of such records among those that the server acknowledged.
    public var pushedDerived = 0
    /// The number of records of which edits of two devices were merged.
    public var merged = 0
    /// The number of records that were deleted here, had been edited elsewhere, and are live again: an edit wins over a
    /// deletion.
    public var revived = 0
    /// The number of new conflicts.
    public var conflicts = 0
    /// The records that the server refused, and why; they aren't sent again until they are edited.
    public var rejected: [RecordKey: Rejection] = [:]
    /// The records that were omitted, since they are larger on the server than this device receives, with their bytes
    /// there.
    public var oversized: [RecordKey: Int] = [:]
    /// The number of records that the server had before it was restored or replaced, and no longer had as they were seen
    /// here. They are sent to it again.
    public var lostByServer = 0
    /// The reasons for which everything was read again.
    public var fullReads: [FullRead] = []
    /// Why the server refuses all edits of this home, which stay unsent: it may only read, for instance with a read-only
    /// app password. Everything was received all the same. nil: the server accepts edits.
    public var refusal: BackendError?
    /// The number of requests that were answered.
    public var requests = 0

    public init() {}
}

extension SyncResult {
    /// Adds the result of another answer.
    mutating func add(_ other: SyncResult) {
        pulled += other.pulled
        pushed += other.pushed
        pulledDerived += other.pulledDerived
        pushedDerived += other.pushedDerived
        merged += other.merged
        revived += other.revived
        conflicts += other.conflicts
        lostByServer += other.lostByServer
        rejected.merge(other.rejected) { $1 }
        oversized.merge(other.oversized) { $1 }
    }
}

/// An error that ended a sync early. Nothing is lost: unsent edits stay unsent. New cases may be added.
public enum SyncFailure: Error, Sendable, Equatable {
    /// No account has signed in on this home.
    case noAccount
    /// Another process of this home is syncing, and this one doesn't wait or has waited for `SyncGate.waitLimit`. nil:
    /// the process is unknown.
    case busyElsewhere(LockHolder?)
    /// The digests differ even after everything was read again.
    case digestMismatch
    /// The server has answered again and again that the records have changed meanwhile.
    case noProgress
    /// No space is left on this machine's disk, where the path names the cache. What was received and sent until then is
    /// stored.
    case diskFull(path: String)
}

extension SyncFailure {
    /// The message to the user: what happened and what to do next.
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
        case .diskFull(let path):
            BackendError.fullDiskMessage(
                path,
                "What was synced until then is stored, and unsent edits stay here. Free some space, then `sync` again.")
        }
    }

    private static func description(of holder: LockHolder?) -> String {
        guard let holder else { return "" }
        return " (process \(holder.process)\(holder.localTime.map { ", since " + $0 } ?? ""))"
    }
}

/// The progress of a sync. It is reported between requests, if there are several.
public struct SyncProgress: Sendable, Equatable {
    /// The present phase.
    public let phase: Phase
    /// The number of records that are done in this phase, since the sync began.
    public let done: Int
    /// The approximate number of records at the end of the phase; nil: unknown.
    public let total: Int?

    /// The phases of a sync. New cases may be added.
    public enum Phase: Sendable {
        /// Receiving the server's records.
        case receiving
        /// Sending the records that were edited here.
        case sending
        /// Comparing the cache with the server.
        case comparing
    }

    /// Creates a progress value.
    public init(_ phase: Phase, _ done: Int, of total: Int? = nil) {
        (self.phase, self.done, self.total) = (phase, done, total)
    }
}

extension SyncProgress {
    /// The counts of a sync, which it reports if it takes several requests.
    struct Counter {
        private let report: (@Sendable (SyncProgress) -> Void)?
        private var received = 0
        private var sent = 0
        /// The number of records that are still to be sent; nil: they weren't counted yet.
        private var left: Int?
        /// The value of `left` when they were counted last.
        private var counted = 0
        /// The number of records that will have been received when everything is read; nil: unknown.
        private var expected: Int?

        init(_ report: (@Sendable (SyncProgress) -> Void)?) { self.report = report }

        /// Whether the progress is reported.
        var isObserved: Bool { report != nil }

        /// Reports that a read of the whole space begins.
        func beginsReading() { report?(SyncProgress(.receiving, received)) }

        /// Sets how many more records are to be received by the read; called before its first page is counted.
        mutating func expects(_ records: Int) { expected = received + records }

        /// Counts a page that was applied.
        ///
        /// - Parameter more: Whether another page follows.
        mutating func received(_ records: Int, more: Bool) {
            received += records
            // The space may have grown since.
            if more || received > records {
                report?(SyncProgress(.receiving, received, of: expected.map { max($0, received) }))
            }
            if !more { expected = nil }
        }

        /// Counts a batch that was answered.
        ///
        /// Counting takes longer the more records are still to be sent. So they are counted only after the first batch
        /// and whenever half of them are sent: all counts together take about as long as two. A count also finds the
        /// edits of other processes, and the last one is exact.
        ///
        /// - Parameters:
        ///   - settled: By how many the answer has reduced the number of records that are still to be sent.
        ///   - count: Counts them.
        mutating func sent(_ records: Int, settled: Int, counting count: () throws -> Int) rethrows {
            guard let report else { return }
            sent += records
            var rest = (left ?? 0) - settled
            if left == nil || rest <= counted / 2 {
                rest = try count()
                counted = rest
            }
            left = rest
            if rest > 0 || sent > records { report(SyncProgress(.sending, sent, of: sent + rest)) }
        }
    }
}
