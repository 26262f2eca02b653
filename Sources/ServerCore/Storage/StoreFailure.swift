/// Why a store can't do its work now, as far as it matters to whoever asks; nothing of the transaction is left. Anything
/// else that a store throws is a fault.
public enum StoreFailure: Error, Sendable, Equatable {
    /// There is no room left where the data are. `reason` is the engine's, for the log.
    case full(reason: String)
    /// Another program keeps the data locked for longer than the store waits. `reason` is the engine's, for the log.
    case busy(reason: String)
}
