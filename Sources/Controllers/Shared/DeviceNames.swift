public import Backend
public import LocalStore
internal import Records
public import SyncAPI

/// The names of the account's devices. They are fetched when they are needed, and never required: without a name the id is
/// shown.
public struct DeviceNames: Sendable {
    private let store: LocalStore
    private let backend: BackendClient

    /// Creates a list that is stored in a cache.
    public init(store: LocalStore, backend: BackendClient) { (self.store, self.backend) = (store, backend) }

    /// Stores names that the server sent.
    public func learn(_ devices: [DeviceList.Entry]) async throws {
        let names = Dictionary(devices.map { ($0.id, $0.name) }) { first, _ in first }
        try await store.write { try $0.account.learn(deviceNames: names) }
    }

    /// Fetches the names from the server, if someone is signed in. A failure has no consequence.
    public func fetch() async {
        guard case .active = try? await backend.session.status(), let devices = try? await backend.devices() else {
            return
        }
        try? await learn(devices)
    }

    /// The known names, by id. If one of `devices` has none, they are fetched first.
    ///
    /// - Parameter own: The id of this device, which needs no name.
    public func names(including devices: [String], besides own: String) async throws -> [String: String] {
        let known = try await store.read { try $0.account.deviceNames() }
        if devices.allSatisfy({ $0 == own || known[$0] != nil }) { return known }
        await fetch()
        return try await store.read { try $0.account.deviceNames() }
    }

    /// After a sync: fetches the names if there are conflicts with edits of devices without a name.
    func fetchIfConflictsNeedThem() async {
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
