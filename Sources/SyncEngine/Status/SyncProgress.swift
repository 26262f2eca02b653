/// How far a sync is. It is reported between requests, if there is more than one.
public struct SyncProgress: Sendable, Equatable {
    /// What is being done.
    public let phase: Phase
    /// Records that are done in this phase, since the sync began.
    public let done: Int
    /// About how many there will be; nil: unknown.
    public let total: Int?

    /// What a sync does with records.
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
