internal import Backend
internal import LocalStore
internal import Records
internal import SyncAPI

// What other devices are called. It is learnt on the way and never required: where a name isn't known, the id stands.
extension Services {
    /// Keeps the names of devices that the server has told.
    func learn(_ devices: [DeviceList.Entry]) async throws {
        let names = Dictionary(devices.map { ($0.id, $0.name) }) { first, _ in first }
        try await store.write { try $0.learn(deviceNames: names) }
    }

    /// Asks the server what the account's devices are called, if somebody is signed in; what goes wrong is of no
    /// consequence.
    func learnDeviceNames() async {
        guard case .active = try? await backend.session.status(), let devices = try? await backend.devices() else {
            return
        }
        try? await learn(devices)
    }

    /// After a sync: asks for names if the inbox has edits of devices that this one hasn't heard of.
    func learnNamesInConflicts() async {
        let isAnyUnheard = try? await store.read { cache in
            let known = Set(try cache.deviceNames().keys).union([try cache.device()])
            return try cache.records(in: [ConflictRecord.type.collection]).contains { record in
                guard let found = ConflictRecord(id: record.key.id, fields: record.fields)?.conflict else {
                    return false
                }
                return [found.earlier, found.later].contains { $0.moment.map { !known.contains($0.device) } ?? false }
            }
        }
        if isAnyUnheard == true { await learnDeviceNames() }
    }
}
