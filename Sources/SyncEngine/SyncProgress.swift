/// How far a sync is. Told between its requests, on the engine's executor, and only where there is more than one.
public struct SyncProgress: Sendable, Equatable {
    /// What is being done.
    public let phase: Phase
    /// Records that are done in this phase, since the sync began.
    public let done: Int
    /// How many there will be; nil: only the server knows.
    public let total: Int?

    /// What a sync does with records.
    public enum Phase: Sendable {
        /// The server's records come.
        case receiving
        /// Those that were edited here are sent.
        case sending
    }

    /// A sync that is so far.
    public init(_ phase: Phase, _ done: Int, of total: Int? = nil) {
        (self.phase, self.done, self.total) = (phase, done, total)
    }
}

/// Counts what a sync has done, and tells it where that isn't all in one request.
struct SyncCount {
    private let tell: @Sendable (SyncProgress) -> Void
    private var received = 0
    private var sent = 0

    init(_ tell: @escaping @Sendable (SyncProgress) -> Void) { self.tell = tell }

    /// Everything is read from the beginning.
    func beginsReading() { tell(SyncProgress(.receiving, received)) }

    /// A page was taken in.
    ///
    /// - Parameter more: whether another one follows.
    mutating func received(_ records: Int, more: Bool) {
        received += records
        if more || received > records { tell(SyncProgress(.receiving, received)) }
    }

    /// A batch was answered.
    ///
    /// - Parameter left: how many records are still to be sent.
    mutating func sent(_ records: Int, left: Int) {
        sent += records
        if left > 0 || sent > records { tell(SyncProgress(.sending, sent, of: sent + left)) }
    }
}
