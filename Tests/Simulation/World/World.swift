import Backend
import Foundation
import LocalStore
import Records
import SQLiteServerStore
import ServerCore
import SyncAPI
import struct Records.Record
import SyncEngine
import TestSupport

/// One run of a schedule: machines, network, time, and the model with the invariants.
///
/// Sendable: see `Loop`.
final class World: @unchecked Sendable {
    let schedule: Schedule
    let loop: Loop
    let luck: RandomSource
    let server: ServerMachine
    let devices: [Device]
    let backup: Disk
    private(set) lazy var streams = StreamWatch(loop) { [unowned self] in find(.staleStream, $0) }
    var ledger = EditLedger()
    var removals = RemovalLedger()
    var idempotency = IdempotencyModel()
    var hasBackup = false
    /// The faults found.
    private(set) var faults: [Fault] = []
    /// Conflicts that are reported though they are none, where no device could know.
    private(set) var noise: [String] = []
    private(set) var story: [String] = []
    private let recordsStory: Bool

    /// - Parameters:
    ///   - directory: the paths of the disks; SQLite writes nothing there.
    ///   - recordsStory: whether to record the story, which takes time.
    init(_ schedule: Schedule, from template: Template, in rooms: StoreDisks, recordsStory: Bool) {
        self.schedule = schedule
        self.recordsStory = recordsStory
        loop = Loop(now: Template.start)
        luck = RandomSource(seed: schedule.seed)
        backup = rooms.backup
        rooms.server.prepare(from: template.server)
        server = ServerMachine(
            room: rooms.server, processes: schedule.serverProcesses, loop: loop, luck: luck,
            limits: Capabilities.Limits(schedule.limits))
        var devices: [Device] = []
        for (number, seat) in template.seats(for: schedule).enumerated() {
            rooms.devices[seat].prepare(from: template.seats[seat].disk)
            devices.append(
                Device(
                    template.seats[seat], number: number, use: schedule.homes.use, room: rooms.devices[seat],
                    server: server, loop: loop, luck: luck))
        }
        self.devices = devices
        listen()
    }

    private func listen() {
        server.onCrash = { [unowned self] how in record("the server \(how)") }
        server.onLog = { [unowned self] line in record(line) }
        server.onEvent = { [unowned self] event, place in
            streams.note(event, at: place)
            guard case .answered(let request, let response, _) = event else { return }
            let process = schedule.serverProcesses == 1 ? "" : " from process \(place)"
            record("  \(request.method) \(request.summary) → \(response.head.status)\(process)")
            if let fault = idempotency.note(request, response) { find(.doneTwice, fault) }
        }
        for device in devices {
            device.onFlood = { [unowned self, unowned device] in
                find(.deadEnd, "\(device.name) makes requests without end")
            }
            device.onEvent = { [unowned self, unowned device] what in record("\(device.name) \(what)") }
        }
    }

    /// Adds a line to the story.
    func record(_ line: @autoclosure () -> String) {
        if recordsStory { story.append("\(time()) \(line())") }
    }

    /// Records a fault.
    func find(_ kind: Fault.Kind, _ what: String) {
        faults.append(Fault(kind: kind, description: what))
        record("WRONG (\(kind.rawValue)): \(what)")
    }

    /// After a restore a device can't know what another one had seen (SyncEngine's record 0001).
    func note(falseConflict what: String) {
        guard schedule.steps.contains(where: { $0.action == .restore }) else { return find(.falseConflict, what) }
        noise.append(what)
        record("noise: \(what)")
    }

    private func time() -> String {
        let text = String(loop.now - Template.start)
        return String(repeating: " ", count: max(0, 7 - text.count)) + text
    }

    /// Runs the schedule, lets everything settle, and checks the result.
    func run() {
        for step in schedule.steps {
            perform(step)
            loop.run(for: step.pause)
            if !faults.isEmpty { break }
        }
        if faults.isEmpty, settle() { check() }
        end()
    }

    /// Stops all machines, so that nothing is left of the run.
    private func end() {
        for device in devices { device.stop() }
        server.hangUpAll()
        loop.drain()
        server.stop()
        loop.drain()
        loop.forgetEvents()
    }
}

extension Capabilities.Limits {
    fileprivate init(_ limits: ServerLimits) {
        self = .standard
        pageRecords = limits.pageRecords
        bodyBytes = limits.bodyBytes ?? bodyBytes
        fieldsBytes = limits.fieldsBytes ?? fieldsBytes
    }
}

/// The disks of consecutive runs.
struct StoreDisks: Sendable {
    let server: StoreDisk<SQLiteServerStore>
    let backup: Disk
    /// By the number of the template's seat.
    let devices: [StoreDisk<LocalStore>]
}
