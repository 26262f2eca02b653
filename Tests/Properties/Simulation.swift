import Backend
import FoundationEssentials
import LocalStore
import Records
import struct Records.Record
import SyncEngine
import SyncAPI
import TestSupport

/// Three devices and a server, and everything that may happen to them; a seed fixes all of it.
final class Simulation: Sendable {
    let devices: [SimulatedDevice]
    private let state: Locked<State>

    private struct State {
        var random: SeededRandom
        var ledger = EditLedger()
        var now: UInt64
        /// Whether a sync is under way during which other things happen, too.
        var isBusy = false
        var story: [String] = []
    }

    static let start: UInt64 = 1_795_238_400_000

    /// - Parameter makeDevice: makes a device of a name, with its clock and its source of idempotency keys.
    init(
        seed: UInt64,
        makeDevice: (String, @escaping @Sendable () -> UInt64, @escaping @Sendable () -> String) async throws
            -> SimulatedDevice
    ) async throws {
        let state = Locked(State(random: SeededRandom(seed: seed), now: Self.start))
        self.state = state
        var devices: [SimulatedDevice] = []
        // One clock is right, one is ahead of what a server takes, one is behind.
        for (name, skew) in [("laptop", 0), ("phone", 150_000), ("tower", -40_000)] {
            let device = try await makeDevice(
                name, { state.withLock { UInt64(Int($0.now) + skew) } },
                { state.withLock { $0.random.uuid() } })
            devices.append(device)
        }
        self.devices = devices
    }

    /// What has happened so far, for the person who looks into a failure.
    var story: String { state.withLock { $0.story.joined(separator: "\n") } }

    /// The time, in milliseconds since 1970.
    var now: UInt64 { state.withLock(\.now) }

    /// A number below `bound`.
    func roll(_ bound: Int) -> Int { state.withLock { $0.random.below(bound) } }

    /// Adds a line to the story.
    func tell(_ what: String) { state.withLock { $0.story.append(what) } }

    /// Lets something happen, and some time pass.
    func step() async throws {
        state.withLock { $0.now += UInt64($0.random.below(5_000)) }
        let device = devices[roll(devices.count)]
        if roll(3) == 0 { try await syncBadly(device) } else { try edit(device) }
    }

    /// The words that were written and that nobody who saw them has removed, but that this device doesn't have.
    func lost(on device: SimulatedDevice) throws -> [String] {
        let records = try device.store.readNow { try $0.records() }
        return state.withLock { $0.ledger.lost(in: records) }
    }
}

extension SeededRandom {
    /// A UUID of version 4.
    fileprivate mutating func uuid() -> String {
        var bytes = UUID().uuid
        withUnsafeMutableBytes(of: &bytes) { bytes in
            for index in bytes.indices { bytes[index] = .random(in: 0...255, using: &self) }
        }
        bytes.6 = bytes.6 & 0x0F | 0x40
        bytes.8 = bytes.8 & 0x3F | 0x80
        return UUID(uuid: bytes).uuidString.lowercased()
    }
}

// MARK: - Syncing

extension Simulation {
    /// Syncs on a line that may break, while people go on working and other devices sync.
    private func syncBadly(_ device: SimulatedDevice) async throws {
        state.withLock { $0.isBusy = true }
        device.line.decide { [unowned self] in fate(for: device) }
        do {
            let report = try await device.engine.sync()
            tell("\(device.name) synced: \(report)")
        } catch let error as BackendError {
            guard case .transport(let failure) = error, failure.kind == .timedOut else { throw error }
            tell("\(device.name) was cut off: \(failure.detail)")
        }
        device.line.decide { Line.Fate() }
        state.withLock { $0.isBusy = false }
    }

    private func fate(for device: SimulatedDevice) -> Line.Fate {
        var fate = Line.Fate(losesRequest: roll(12) == 0, losesAnswer: roll(6) == 0)
        if roll(3) == 0 { fate.before = { [unowned self] in try meanwhile(device) } }
        if roll(3) == 0 { fate.after = { [unowned self] in try meanwhile(device) } }
        if roll(4) == 0, let other = devices.first(where: { $0.name != device.name }) {
            fate.before = { [unowned self] in
                tell("meanwhile \(other.name) synced: \(try await other.engine.sync())")
            }
        }
        return fate
    }

    private func meanwhile(_ device: SimulatedDevice) throws { for _ in 0...roll(2) { try edit(device) } }

    /// Syncs all devices until nothing happens any more; false when that doesn't come.
    func settle() async throws -> Bool {
        for _ in 0..<30 {
            var isQuiet = true
            for device in devices {
                let report = try await device.engine.sync()
                tell("\(device.name) settled: \(report)")
                isQuiet = isQuiet && report.pulled + report.pushed + report.merged == 0 && report.fullReads.isEmpty
            }
            if isQuiet { return true }
        }
        return false
    }
}

// MARK: - Editing

extension Simulation {
    /// A person does something to a record.
    private func edit(_ device: SimulatedDevice) throws {
        let conflicts = try device.store.readNow { try $0.records(in: ["conflicts"]) }
        let key =
            if roll(8) == 0, let conflict = conflicts.sorted(by: { $0.key.id < $1.key.id }).first {
                conflict.key
            } else {
                RecordKey(collection: roll(2) == 0 ? "tasks" : "notes", id: "r\(roll(4))")
            }
        try device.store.writeNow { cache in
            let before = try cache.cached(key)?.record
            if key.collection == "conflicts" || (before?.deleted == false && roll(6) == 0) {
                try cache.delete(key)
            } else {
                try cache.edit(key, patch(of: before))
            }
            let after = try cache.cached(key)?.record
            state.withLock { state in
                state.ledger.note(before, after, by: device.name)
                state.story.append("\(device.name) made \(key.collection)/\(key.id) \(Self.text(of: after))")
            }
        }
    }

    /// One or two fields, new or gone.
    private func patch(of record: Record?) -> JSONObject {
        var patch = JSONObject()
        for _ in 0...roll(2) {
            let word = state.withLock { $0.ledger.newWord() }
            let live = record.flatMap { $0.deleted ? nil : $0 }
            switch roll(4) {
            case 0: patch["title"] = roll(6) == 0 ? JSONValue.null : .string(word)
            case 1: patch["project"] = .string(word)
            case 2: patch["tags"] = .array(change(live?.fields["tags"]?.array ?? [], adding: .string(word)))
            default:
                let lines = (live?.fields["body"]?.string ?? "").split(separator: "\n").map(String.init)
                patch["body"] = .string(change(lines, adding: word).joined(separator: "\n"))
            }
        }
        return patch
    }

    /// Adds an element somewhere; now and then another one goes.
    private func change<Element>(_ elements: [Element], adding element: Element) -> [Element] {
        var changed = elements
        if !changed.isEmpty, roll(4) == 0 { changed.remove(at: roll(changed.count)) }
        changed.insert(element, at: roll(changed.count + 1))
        return changed
    }

    private static func text(of record: Record?) -> String {
        guard let record else { return "gone" }
        return record.deleted ? "deleted" : record.json.canonical
    }
}
