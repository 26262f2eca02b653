import Backend
import Controllers
import LocalStore
import Records
import struct Records.Record
import SyncAPI
import SyncEngine
import TestSupport

extension World {
    /// How many times all devices sync, at most, until nothing changes any more.
    private static let rounds = 12
    /// How many requests one sync may make in a world with so few records.
    private static let requestLimit = 120

    /// Ends all faults, and syncs all devices until nothing changes any more; false, and a fault, if that fails.
    func settle() -> Bool {
        record("-- no faults from now on")
        for device in devices { device.endFaults() }
        server.endFaults()
        if schedule.homes == .oneProcess {
            // All messages in transit arrive, and all waiting operations are answered.
            loop.run(for: 3_600_000)
            for device in devices where device.processes.contains(where: \.isBusy) {
                find(.deadEnd, "\(device.name) still waits after an hour")
            }
        } else {
            settleHomes()
        }
        guard faults.isEmpty else { return false }
        var quiet = 0
        for _ in 0..<Self.rounds {
            for device in devices {
                quiet = settle(device) ? quiet + 1 : 0
                if !faults.isEmpty { return false }
                if quiet == devices.count { return true }
            }
        }
        find(.deadEnd, "the devices don't become idle")
        return false
    }

    /// Syncs a device to the end; returns whether nothing changed.
    private func settle(_ device: Device) -> Bool {
        let result = syncToEnd(device)
        switch result {
        case .success(let report):
            record("\(device.name) \(result.summary)")
            watch(result, of: device)
            let isQuiet = report.pulled + report.pushed + report.merged == 0 && report.fullReads.isEmpty
            return !shortenRefused(device) && isQuiet
        case .failure(BackendError.signedOut), .failure(SyncFailure.noAccount):
            record("\(device.name) is signed out")
            watch(result, of: device)
            logIn(device, at: 0)
            loop.run(for: 60_000)
            return false
        case .failure(let error):
            find(.deadEnd, "\(device.name) can't sync without faults: \(error)")
            return false
        }
    }

    /// The user shortens the records that the server has rejected; returns whether there were any.
    private func shortenRefused(_ device: Device) -> Bool {
        guard let process = try? device.process(at: 0) else { return false }
        let refused = try? process.store.readNow { try $0.outbox.refused(limit: 1_000).map(\.record) }
        device.release(process)
        for record in refused ?? [] {
            let step = Step(number: 0, action: .sync(device: device.number, fates: []), pause: 0)
            change(device, record.key, step) { cache, _ in
                if record.key.collection == "conflicts" { return try cache.delete(record.key) }
                let names = record.fields.names.map { ($0, JSONValue.null) }
                try cache.edit(record.key, JSONObject(names.filter { $0.0 != "title" } + [("title", "short")]))
            }
        }
        return refused?.isEmpty == false
    }

    private func syncToEnd(_ device: Device) -> Result<SyncResult, any Error> {
        do {
            let process = try device.process(at: 0)
            defer { device.release(process) }
            let (service, end) = (process.services.syncService, End<SyncResult>())
            device.countRequests()
            process.start {
                try await service.sync(waiting: true)
            } ended: {
                end.result = $0
            }
            _ = loop.run(
                until: { end.result != nil || device.requests > Self.requestLimit }, limit: 3_600_000)
            guard let result = end.result else { throw NoEnd(requests: device.requests) }
            return result
        } catch {
            return .failure(error)
        }
    }

    /// A sync that doesn't end.
    private struct NoEnd: Error {
        let requests: Int
    }
}

/// The receiver of a result.
///
/// Sendable: see `Loop`.
final class End<Value>: @unchecked Sendable {
    var result: Result<Value, any Error>?
}

// MARK: - Invariants

extension World {
    /// The invariants, once all devices are in sync.
    func check() {
        do {
            for account in Set(devices.map(\.account)).sorted() { try check(account) }
        } catch {
            find(.deadEnd, "a cache can't be read: \(error)")
        }
    }

    private func check(_ account: String) throws {
        let devices = devices.filter { $0.account == account }
        let states = try devices.map { try DeviceState($0) }
        guard let first = devices.first, let server = try serverState(through: first) else { return }
        watch(clocksOf: server.records)
        if server.digest != server.counted(.all).description {
            find(.wrongDigest, "the server's digest doesn't match its records")
        }
        for (device, state) in zip(devices, states) {
            if state.unsent != 0 { find(.unsent, "\(device.name) still has \(state.unsent) unsent records") }
            if state.hasBatch { find(.unsent, "\(device.name) still has a batch in flight") }
            if state.digest != state.counted {
                find(.wrongDigest, "\(device.name)'s digest doesn't match its records")
            }
            if state.digest != server.counted(state.collections) {
                find(.wrongDigest, "\(device.name)'s digest isn't the server's")
            }
            let there = server.canonical(state.collections)
            if state.canonical != there {
                find(.divergence, "\(device.name) doesn't hold what the server does")
                record("the server holds \(there)\n\(device.name) holds \(state.canonical)")
            }
            let others = server.records.filter { !state.collections.contains($0.key.collection) }
            for word in ledger.lost(in: state.records + others, account: account) {
                find(.lostEdit, "\(device.name) lost \(word)")
            }
            for word in ledger.strange(in: state.records, account: account) {
                find(.strangeWord, "\(device.name) sees \(word)")
            }
        }
        for pair in ledger.falseConflicts(in: server.records) {
            note(falseConflict: "a conflict of \(pair), though one had seen the other")
        }
        watch(server.records, of: account)
        watch(seriesIn: server.records, of: account)
    }

    /// Reads everything from the server, independently of the engine; nil: it can't be read.
    private func serverState(through device: Device) throws -> ServerState? {
        let process = try device.process(at: 0)
        defer { device.release(process) }
        let (backend, end) = (process.backend, End<ServerState>())
        let space = device.credentials?.identity.account.personalSpace ?? ""
        process.start {
            try await ServerState(of: space, backend)
        } ended: {
            end.result = $0
        }
        _ = loop.run(until: { end.result != nil }, limit: 3_600_000)
        guard let server = try? end.result?.get() else {
            find(.deadEnd, "the server can't be read")
            return nil
        }
        return server
    }
}

/// The records of a device.
private struct DeviceState {
    let records: [Record]
    let canonical: [String]
    let unsent: Int
    let hasBatch: Bool
    let digest: SpaceDigest
    let counted: SpaceDigest
    /// The collections that the home receives.
    let collections: CollectionSet

    init(_ device: Device) throws {
        let process = try device.process(at: 0)
        defer { device.release(process) }
        let held = try process.store.readNow { cache in
            (
                try cache.records(), try cache.outbox.unsent().records, try cache.outbox.batch() != nil,
                try cache.replica.state().digest, try cache.replica.countedDigest(),
                try cache.replica.state().collections
            )
        }
        (records, unsent, hasBatch, digest, counted, collections) = held
        canonical = records.map(\.json.canonical).sorted()
    }
}

/// The records of the server, read page by page.
private struct ServerState {
    var records: [Record] = []
    var digest = ""

    /// The records of some collections in canonical form.
    func canonical(_ collections: CollectionSet) -> [String] {
        records.filter { collections.contains($0.key.collection) }.map(\.json.canonical).sorted()
    }

    /// The digest of the records of some collections.
    func counted(_ collections: CollectionSet) -> SpaceDigest {
        records.filter { collections.contains($0.key.collection) }.reduce(into: SpaceDigest()) { digest, record in
            digest.add(collection: record.key.collection, id: record.key.id, version: record.version)
        }
    }

    init(of space: String, _ backend: BackendClient) async throws {
        var cursor: String?
        while true {
            let page =
                try JSONValue(parsing: await backend.pull(space: space, since: cursor, limit: 5).body).object ?? [:]
            for record in (page["records"]?.array ?? []).compactMap(Record.init(json:)) where !record.deleted {
                records.append(record)
            }
            cursor = page["cursor"]?.string
            if page["more"]?.bool == true { continue }
            digest = page["digest"]?.string ?? ""
            return
        }
    }
}
