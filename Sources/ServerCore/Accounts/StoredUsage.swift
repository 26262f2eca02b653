/// What an account uses of its quota, as far as it is stored.
package struct StoredUsage: Sendable, Equatable {
    /// Number of live records of the personal space.
    package var records: Int64
    /// Bytes that are stored for the account, see `QuotaRules.bytes`.
    package var bytes: Int64
    /// Number of signed-in devices and app passwords, without those that have expired.
    package var devices: Int64
}

extension StoreReading {
    /// Returns what an account uses.
    ///
    /// - Parameter isCounted: Whether a session counts as a device: one that has expired doesn't (`SessionRules.lives`).
    package func usage(
        of account: StoredAccount, counting isCounted: (StoredSession) -> Bool
    ) throws -> StoredUsage {
        let space = try self.space(account.personalSpace)
        return StoredUsage(
            records: space?.records ?? 0, bytes: (space?.bytes ?? 0) + (try outcomeBytes(account: account.id)),
            devices: Int64(try sessions(account: account.id).count(where: isCounted)))
    }
}
