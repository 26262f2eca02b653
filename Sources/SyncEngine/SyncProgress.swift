/// How far a sync is. Told between its requests, on the engine's executor, and only where there is more than one.
public struct SyncProgress: Sendable, Equatable {
    /// What is being done.
    public let phase: Phase
    /// Records that are done in this phase, since the sync began.
    public let done: Int
    /// About how many there will be; nil: nobody knows.
    public let total: Int?

    /// What a sync does with records.
    public enum Phase: Sendable {
        /// The server's records come.
        case receiving
        /// Those that were edited here are sent.
        case sending
        /// What is held is compared with the server's.
        case comparing
    }

    /// A sync that is so far.
    public init(_ phase: Phase, _ done: Int, of total: Int? = nil) {
        (self.phase, self.done, self.total) = (phase, done, total)
    }
}

/// Counts what a sync has done, and tells it where that isn't all in one request.
struct SyncCount {
    private let tell: (@Sendable (SyncProgress) -> Void)?
    private var received = 0
    private var sent = 0
    /// How many will have been received when everything is read; nil: unknown.
    private var expected: Int?

    init(_ tell: (@Sendable (SyncProgress) -> Void)?) { self.tell = tell }

    /// Whether somebody is told.
    var isHeard: Bool { tell != nil }

    /// Everything is read from the beginning.
    func beginsReading() { tell?(SyncProgress(.receiving, received)) }

    /// That many records will have come when everything is read; told before its first page is.
    mutating func expects(_ records: Int) { expected = received + records }

    /// A page was taken in.
    ///
    /// - Parameter more: whether another one follows.
    mutating func received(_ records: Int, more: Bool) {
        received += records
        // The space may have grown meanwhile.
        if more || received > records {
            tell?(SyncProgress(.receiving, received, of: expected.map { max($0, received) }))
        }
        if !more { expected = nil }
    }

    /// A batch was answered.
    ///
    /// - Parameter left: how many records are still to be sent.
    mutating func sent(_ records: Int, left: Int) {
        sent += records
        if left > 0 || sent > records { tell?(SyncProgress(.sending, sent, of: sent + left)) }
    }
}
