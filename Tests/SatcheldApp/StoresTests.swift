import ArgumentParser
import Foundation
import Testing

@testable import SatcheldApp

@Suite struct StoresTests {
    private func setting(_ address: String) -> StoreSetting {
        StoreSetting(address: address, data: URL(filePath: "/dev/null/data"), connections: 2)
    }

    @Test(arguments: [
        ("sqlite", "sqlite"), ("postgres://h/d", "postgres://h/d"), ("postgres://ada@h/d", "postgres://ada@h/d"),
        ("postgres://ada:secret@h/d", "postgres://ada:…@h/d"),
        ("postgres://h/d?x=1&password=secret&y=2", "postgres://h/d?x=1&password=…&y=2"),
        ("postgres://ada:s@cret@h1,h2:5/d?x=a:b@c", "postgres://ada:…@h1,h2:5/d?x=a:b@c"),
    ])
    func `the address of a store is shown without its password`(address: String, shown: String) {
        #expect(setting(address).shown == shown)
    }

    @Test(arguments: ["mysql://h/d", "sqlite:other", "", "h/d"])
    func `an unknown kind of store is refused with the known ones`(address: String) async {
        await #expect {
            _ = try await setting(address).open(metrics: nil)
        } throws: { error in
            "\(error)".contains("sqlite") && "\(error)".contains("postgres://USER@HOST/DATABASE")
        }
    }

    @Test(arguments: [("foo", "the store is foo; it should be"), ("", "the store is empty; it should be")])
    func `a wrong flag for the store is an error of the command line`(address: String, message: String) async throws {
        let flags = try DataFlags.parse(["--store", address, "--data", "/dev/null/data"])
        let error = await #expect(throws: CommandLineError.self) { _ = try await ServeSettings.store(flags) }
        #expect(error?.description.hasPrefix(message) == true)
        await #expect(throws: ExitCode(2)) {
            try await explained { _ = try await ServeSettings.store(flags) }
        }
    }

    @Test func `a restore has either a backup or a mark`() {
        let both = #expect(throws: (any Error).self) { try Restore.parse(["b1", "--mark"]) }
        #expect(both.map { Restore.message(for: $0).contains("a backup and --mark exclude each other") } == true)
        let none = #expect(throws: (any Error).self) { try Restore.parse([]) }
        #expect(none.map { Restore.message(for: $0).contains("name the backup to restore") } == true)
    }

    @Test(
        arguments: [
            ("sqlite", nil), ("postgres://h/d", "pg_dump"), ("postgresql://h/d", "pg_dump"),
        ] as [(String, String?)])
    func `a kind of store names the tools of its database server`(address: String, word: String?) throws {
        let tools = try setting(address).kind().tools
        #expect((tools == nil) == (word == nil))
        for text in [tools?.backup, tools?.downgrade].compactMap(\.self) {
            #expect(text.contains(word ?? ""))
        }
    }

    @Test func `a mark of a data directory is refused with the kinds that have one`() async {
        await #expect {
            try await Restore.parse(["--mark", "--store", "sqlite", "--data", "/dev/null/data"]).markRestored()
        } throws: { "\($0)".contains("--mark is only for PostgreSQL; for a data directory, run satcheld restore") }
    }

    @Test func `the scheme selects the store`() async {
        // Each fails with the message of its own kind, without a database.
        await #expect {
            _ = try await setting("sqlite").open(metrics: nil)
        } throws: { "\($0)".contains("/dev/null/data can't be written") }
        await #expect {
            _ = try await setting("postgres://127.0.0.1:1/x").open(metrics: nil)
        } throws: { "\($0)".contains("PostgreSQL at 127.0.0.1:1/x can't be used") }
        await #expect {
            _ = try await setting("postgresql://127.0.0.1:1/x").openShared()
        } throws: { "\($0)".contains("PostgreSQL at 127.0.0.1:1/x can't be used") }
    }
}
