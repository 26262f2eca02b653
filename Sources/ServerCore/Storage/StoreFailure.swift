/// Why a store can't work now, as far as callers need to know; the transaction had no effect. Any other error of a
/// store is a fault.
public enum StoreFailure: Error, Sendable, Equatable {
    /// There is no room left where the data are. `reason` is the engine's, for the log.
    case full(reason: String)
    /// Another program keeps the data locked for longer than the store waits. `reason` is the engine's, for the log.
    case busy(reason: String)
}
