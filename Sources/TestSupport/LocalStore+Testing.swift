package import LocalStore
package import Records

// In tests, caches and records have Satchel's own types by default; a program always passes its types.

extension LocalStore {
    /// Opens the cache of a home.
    package convenience init(
        home: Home, wall: @escaping @Sendable () -> UInt64 = LocalStore.systemWall, scheduling: Scheduling = .ownThread
    ) throws {
        try self.init(home: home, types: .standard, wall: wall, scheduling: scheduling)
    }

    /// Opens the cache of a home on a thread that may block.
    package static func open(_ home: Home) async throws -> LocalStore { try await open(home, types: .standard) }

    /// Opens a cache read-only.
    package convenience init(readOnly home: Home) throws { try self.init(readOnly: home, types: .standard) }

    /// Creates a cache in memory.
    package convenience init(inMemoryWithWall wall: @escaping @Sendable () -> UInt64) throws {
        try self.init(inMemoryWithWall: wall, types: .standard)
    }
}

extension CachedRecord {
    /// Returns the record after an edit of this device.
    package func edited(_ patch: JSONObject, at moment: HLC) -> CachedRecord {
        edited(patch, at: moment, types: .standard)
    }

    /// Returns the record after a deletion by this device; nil: it leaves no trace.
    package func deleted(at moment: HLC) -> CachedRecord? { deleted(at: moment, types: .standard) }
}
