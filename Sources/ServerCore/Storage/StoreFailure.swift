/// A condition in which a store can't work now. The transaction had no effect. Any other error of a store is a fault.
/// New cases may be added.
public enum StoreFailure: Error, Sendable, Equatable {
    /// The disk with the data is full. `reason` is the engine's, for the log.
    case full(reason: String)
    /// Another program locks the data for longer than the store waits. `reason` is the engine's, for the log.
    case busy(reason: String)
    /// The storage can't be reached, or accepts no transactions now: it restarts, or another machine becomes its
    /// primary. `reason` is the engine's, for the log.
    case unavailable(reason: String)
}
