public import Foundation

/// A store that a process opens and closes.
public protocol ManagedServerStore: ServerStore {
    /// The copy of the database that was made before its tables were changed, as it was opened; nil: they weren't.
    var copyBeforeUpgrade: URL? { get }
    /// Whether tables of an earlier version were changed as the store was opened, and it made no copy of them.
    var hasChangedTables: Bool { get }
    /// The setting by which the owner has chosen not to verify the machine with the database, such as `require`; nil: it is
    /// verified, or this machine.
    var unverifiedMode: String? { get }

    /// Closes the store, but waits only for a limited time for transactions under way. What is committed is safe in any
    /// case.
    ///
    /// - Returns: Whether the store is closed.
    func shutDown(within limit: Duration) async throws -> Bool
}

extension ManagedServerStore {
    public var copyBeforeUpgrade: URL? { nil }
    public var hasChangedTables: Bool { false }
    public var unverifiedMode: String? { nil }
}
