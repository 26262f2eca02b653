import Backend
import Foundation
import LocalStore
import SQLiteServerStore
import ServerCore
import SyncAPI

/// The initial state of every run, created once: a server with two accounts, devices that are signed in and have not
/// synced, and the same devices before they signed in. Otherwise, opening databases and hashing passwords would take
/// most of a run's time.
struct Template {
    private let directory: URL
    /// Each device twice: before it signed in, and after.
    private(set) var seats: [Seat] = []

    /// A device in its initial state.
    struct Seat {
        var name: String
        var account: String
        var disk: Disk
        var credentials: Credentials?
    }

    /// The beginning of every run: 2026-11-21T05:20:00Z.
    static let start: Int64 = 1_795_238_400_000
    static let password = "correct horse battery staple"
    static let server = "https://example.org"
    /// An account that the server doesn't have yet.
    static let newAccount = "carla"
    private static let names = ["laptop", "phone", "tower", "tablet", "stranger"]

    init(in directory: URL) throws {
        self.directory = directory.appending(path: "template")
        let loop = Loop(now: Self.start)
        let luck = RandomSource(seed: .max)
        let machine = ServerMachine(
            room: StoreDisk(try disk("server")), processes: 1, loop: loop, luck: luck, limits: .standard)
        for isSignedIn in [false, true] {
            for name in Self.names {
                var seat = Seat(
                    name: name, account: name != "stranger" ? "anna" : isSignedIn ? "bob" : Self.newAccount,
                    disk: try disk(name + (isSignedIn ? "" : " before")))
                let device = Device(
                    seat, number: seats.count, use: .oneProcess, room: StoreDisk(seat.disk), server: machine,
                    loop: loop,
                    luck: luck)
                let store = try device.process(at: 0).store
                try store.writeNow { _ = try $0.device(new: name) }
                if isSignedIn { try Self.signIn(device, isNew: ["laptop", "stranger"].contains(name), loop) }
                seat.credentials = device.credentials
                seats.append(seat)
                device.stop()
            }
        }
        machine.stop()
        loop.drain()
    }

    /// The seats of a schedule's devices, by their numbers in `seats`.
    func seats(for schedule: Schedule) -> [Int] {
        let first = schedule.homes == .fresh ? 0 : Self.names.count
        var numbers = Array(first..<(first + schedule.devices))
        if schedule.hasStranger { numbers[numbers.count - 1] = first + Self.names.count - 1 }
        return numbers
    }

    /// The server's disk.
    var server: Disk { Disk(path: directory.appending(path: "server").path) }

    private func disk(_ name: String) throws -> Disk {
        try Disk(making: directory.appending(path: name), file: name == "server" ? "server.sqlite" : "cache.db")
    }

    private static func signIn(_ device: Device, isNew: Bool, _ loop: Loop) throws {
        let process = try device.process(at: 0)
        let (account, name) = (device.account, device.name)
        let end = End<Void>()
        process.start {
            try await process.signIn(account, as: name, isNew: isNew)
        } ended: {
            end.result = $0
        }
        guard loop.run(until: { end.result != nil }, limit: 60_000), case .success = end.result else {
            throw NotMade(what: device.name)
        }
    }

    struct NotMade: Error {
        let what: String
    }
}

extension Disk {
    /// An empty disk at a directory, which is created.
    ///
    /// - Parameter file: the database at this path. A non-empty log is simulated next to it on the real disk: GRDB
    /// looks for one there, and without one writes a transaction at each opening.
    init(making directory: URL, file: String) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data([0]).write(to: directory.appending(path: file + "-wal"))
        self.init(path: directory.path)
        erase()
    }
}
