extension SyncServer {
    /// Removes what is older than the configuration's retention, at once and then every hour, until the task is
    /// cancelled; `buildServer` runs it together with the server.
    public func maintain() async { await maintenance.run() }

    /// Removes the tombstones that were made before a moment, once.
    ///
    /// - Parameter moment: milliseconds since 1970.
    /// - Returns: how many they were.
    /// - Throws: what the store throws; those of the transactions before are gone then.
    public func purgeTombstones(before moment: Int64) async throws -> Int {
        try await maintenance.purgeTombstones(before: moment)
    }
}
