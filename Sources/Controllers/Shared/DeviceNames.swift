internal import Backend
internal import LocalStore
internal import Records
public import SyncAPI

/// The names of the account's devices, stored in the cache. They are fetched when needed and never required: without a
/// name, views show the id.
public struct DeviceNames: Sendable {
    private let store: LocalStore
    private let backend: BackendClient

    /// Creates the names of a cache.
    init(store: LocalStore, backend: BackendClient) { (self.store, self.backend) = (store, backend) }

    /// Stores the names in a list of the account's devices that the server sent.
    ///
    /// - Throws: `LocalStoreError`.
    public func save(_ devices: [DeviceList.Entry]) async throws {
        // Not `uniqueKeysWithValues`, which traps if a server sends an id twice.
        let names = Dictionary(devices.map { ($0.id, $0.name) }) { first, _ in first }
        try await store.write { try $0.account.save(deviceNames: names) }
    }

    /// Fetches the names from the server if the home is signed in. Failures are ignored.
    func fetch() async {
        // Errors are ignored: without names, views show ids.
        guard case .active = try? await backend.session.status(), let devices = try? await backend.devices() else {
            return
        }
        // Ignored, too: the names are fetched again when they are needed.
        try? await save(devices)
    }

    /// Returns the known names by id. If one of `devices` has none, the names are fetched first.
    ///
    /// - Parameter own: The id of this device, which needs no name.
    /// - Throws: `LocalStoreError`.
    public func names(including devices: [String], besides own: String) async throws -> [String: String] {
        let known = try await store.read { try $0.account.deviceNames() }
        if devices.allSatisfy({ $0 == own || known[$0] != nil }) { return known }
        await fetch()
        return try await store.read { try $0.account.deviceNames() }
    }

    /// Fetches the names if there are conflicts with edits of devices without a name. Called after a sync.
    public func fetchForConflicts() async {
        // An error is ignored: it only means that ids are shown.
        let isNeeded = try? await store.read { cache in
            let known = Set(try cache.account.deviceNames().keys).union([try cache.device()])
            return try cache.records(in: [ConflictRecord.type.collection]).contains { record in
                guard let found = ConflictRecord(id: record.key.id, fields: record.fields)?.conflict else {
                    return false
                }
                return [found.earlier, found.later].contains { $0.moment.map { !known.contains($0.device) } ?? false }
            }
        }
        if isNeeded == true { await fetch() }
    }
}
