import Backend
import Foundation
import LocalStore
import SQLiteServerStore
import SyncAPI

/// What every run begins with, made once: a server with two accounts, and devices that are signed in and have seen
/// nothing. Opening databases and hashing passwords would else take most of a run's time.
struct Template {
    private let directory: URL
    private(set) var devices: [Seat] = []

    /// A device as a run finds it.
    struct Seat {
        var name: String
        var account: String
        var disk: Disk
        var credentials: Credentials
    }

    /// When every run begins: 2026-11-21T05:20:00Z.
    static let start: Int64 = 1_795_238_400_000
    static let password = "correct horse battery staple"
    static let server = "https://example.org"
    private static let names = ["laptop", "phone", "tower", "tablet", "stranger"]

    init(in directory: URL) throws {
        self.directory = directory.appending(path: "template")
        let loop = Loop(now: Self.start)
        let luck = Luck(seed: .max)
        let machine = ServerMachine(room: Room(try disk("server")), loop: loop, luck: luck, pageRecords: 5)
        for name in Self.names {
            let device = Device(
                number: devices.count, name: name, account: name == "stranger" ? "bob" : "anna",
                room: Room(try disk(name)),
                credentials: nil, server: machine, loop: loop, luck: luck)
            try Self.signIn(device, isNew: devices.isEmpty || name == "stranger", loop)
            guard let credentials = device.credentials else { throw NotMade(what: name) }
            devices.append(Seat(name: name, account: device.account, disk: device.disk, credentials: credentials))
            device.stop()
        }
        machine.stop()
        loop.drain()
    }

    /// The server's disk.
    var server: Disk { Disk(path: directory.appending(path: "server").path) }

    private func disk(_ name: String) throws -> Disk {
        try Disk(making: directory.appending(path: name), file: name == "server" ? "satchel.sqlite" : "satchel.db")
    }

    private static func signIn(_ device: Device, isNew: Bool, _ loop: Loop) throws {
        let process = try device.running()
        let (backend, account, name) = (process.backend, device.account, device.name)
        let end = End()
        process.start {
            let (claim, address) = (DeviceClaim(name: name, id: name), try ServerAddress(Self.server))
            let credentials =
                isNew
                ? try await backend.register(
                    RegisterRequest(username: account, password: Self.password, device: claim), at: address)
                : try await backend.logIn(
                    LogInRequest(username: account, password: Self.password, device: claim), at: address)
            try await backend.session.begin(credentials)
            return credentials
        } ended: {
            end.result = $0
        }
        guard loop.run(until: { end.result != nil }, limit: 60_000), let credentials = try end.result?.get() else {
            throw NotMade(what: device.name)
        }
        try process.store.writeNow { cache in
            _ = try cache.device(new: name)
            try cache.bind(remote: credentials.identity.account.personalSpace, username: account)
        }
    }

    /// Sendable: see `Loop`.
    private final class End: @unchecked Sendable {
        var result: Result<Credentials, any Error>?
    }

    struct NotMade: Error {
        let what: String
    }
}

extension Disk {
    /// An empty disk at a directory, which is made.
    ///
    /// - Parameter file: the database that will lie there. Beside it, on the real disk, a log that isn't empty is
    ///   pretended: GRDB looks for one there, and writes a transaction at each opening where it finds none.
    init(making directory: URL, file: String) throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try Data([0]).write(to: directory.appending(path: file + "-wal"))
        self.init(path: directory.path)
        erase()
    }
}
