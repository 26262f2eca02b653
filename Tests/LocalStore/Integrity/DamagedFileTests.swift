import Foundation
import Records
import struct Records.Record
import TestSupport
import Testing

@testable import LocalStore

/// Real files with real damage.
@Suite struct DamagedFileTests {
    private let temporary = TemporaryHome()
    private var home: Home { temporary.home }

    /// Ways to damage a file so that SQLite notices when it opens it.
    enum Damage: String, CaseIterable, Sendable {
        case garbage, header, firstPage, truncated, emptied, anotherProgram

        /// Whether the pages with the unsent edits still exist.
        var leavesRecords: Bool { self == .header || self == .firstPage }

        func apply(to file: URL) async throws {
            let bytes = try Data(contentsOf: file)
            switch self {
            case .garbage: try Data(repeating: 7, count: bytes.count).write(to: file)
            case .header: try (Data(repeating: 0xAA, count: 100) + bytes.dropFirst(100)).write(to: file)
            case .firstPage: try (Data(repeating: 0xAA, count: 4_096) + bytes.dropFirst(4_096)).write(to: file)
            case .truncated: try bytes.prefix(bytes.count / 2 / 4_096 * 4_096).write(to: file)
            case .emptied: try Data().write(to: file)
            case .anotherProgram:
                try FileManager.default.removeItem(at: file)
                let other = TemporaryHome()
                let store = try LocalStore(home: other.home)
                try store.writeNow { try $0.execute("DROP TABLE grdb_migrations") }
                withExtendedLifetime(other) {}
                try await store.inspect { try $0.execute("VACUUM INTO ?", [file.path]) }
            }
        }
    }

    /// A home with an account, 40 records as the server has them and 3 unsent ones; closed.
    private func fill() async throws {
        try home.prepare()
        try await FileCredentialStore(home: home).save(credentials("one"))
        let store = try LocalStore(home: home)
        try store.writeNow { cache in
            try cache.replica.setCursor("c1", reading: nil)
            let body = String(repeating: "word ", count: 300)
            _ = try cache.replica.applyClean(
                records: page(
                    (1...40).map { serverRecord(.init(collection: "notes", id: "n\($0)"), ["body": .string(body)]) }))
            for id in ["x", "y", "z"] { try cache.edit(.init(collection: "tasks", id: id), ["title": .string(id)]) }
        }
        try await store.inspect { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    private func putAside() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: home.directory, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasPrefix("cache.db.damaged-") }
    }

    @Test(arguments: Damage.allCases)
    func `a file that SQLite can't read is set aside, never deleted, and a new one is created`(_ damage: Damage)
        async throws
    {
        try await fill()
        let device = try LocalStore(home: home).writeNow { try $0.device() }
        try await damage.apply(to: home.cache)
        let bytes = try Data(contentsOf: home.cache)
        let store = try LocalStore(home: home)
        let aside = try putAside()
        #expect(aside.count == 1)
        #expect(try Data(contentsOf: #require(aside.first)) == bytes)
        let notice = try await store.removeNotice()
        #expect(notice?.contains(try #require(aside.first).path) == true)
        #expect(try await store.removeNotice() == nil, "it is reported once")
        #expect(try store.readNow { try $0.replica.state().remote } == "s")
        #expect(try store.writeNow { try $0.device() } == device)
        if damage.leavesRecords {
            #expect(
                try store.readNow { try $0.outbox.sendable(limit: 9).map(\.record.key.id).sorted() } == ["x", "y", "z"])
        }
        #expect(try await store.faults() == [])
        #expect(try temporary.mode("cache.db") == 0o600)
        _ = try LocalStore(home: home)
        #expect(try putAside().count == 1, "the new one is intact")
    }

    @Test func `an overwritten page is found, and the file is rebuilt with the unsent edits`() async throws {
        try await fill()
        let store = try LocalStore(home: home)
        try overwrite(pagesOf: "n20")
        #expect(try await store.faults().map(\.kind) == [.unreadablePages])
        try await store.rebuild(since: try await store.faults())
        #expect(try await store.faults() == [])
        #expect(
            try store.readNow { try $0.outbox.sendable(limit: 9).map(\.record.key.id).sorted() } == ["x", "y", "z"])
        try store.writeNow { _ = try $0.edit(key, ["title": "After"]) }
        #expect(try LocalStore(home: home).readNow { try $0.cached(key)?.record.fields } == ["title": "After"])
        #expect(try putAside().contains { !$0.path.hasSuffix("-wal") && !$0.path.hasSuffix("-shm") })
    }

    @Test func `the error for damage found by a query says what to do`() async throws {
        try await fill()
        try overwrite(pagesOf: "n20")
        let error = #expect(throws: LocalStoreError.self) {
            try LocalStore(home: home).readNow { try $0.records() }
        }
        #expect(error?.message.contains("Run `doctor --repair`") == true)
    }

    /// Overwrites the pages with a record's text.
    private func overwrite(pagesOf id: String) throws {
        var bytes = try Data(contentsOf: home.cache)
        let place = try #require(bytes.firstRange(of: Data("notes\(id)\u{7}2026".utf8))).lowerBound
        let page = place / 4_096 * 4_096
        bytes.replaceSubrange(page..<page + 4_096, with: Data(repeating: 0xAA, count: 4_096))
        let file = try FileHandle(forWritingTo: home.cache)
        try file.write(contentsOf: bytes)
        try file.close()
    }

    @Test func `unsent edits that are only in the log are saved, too`() async throws {
        try await fill()
        let store = try LocalStore(home: home)
        try store.writeNow { _ = try $0.edit(.init(collection: "tasks", id: "w"), ["title": "w"]) }
        // As after a crash: the log isn't in the file yet.
        let copies = try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: home.cache.path + $0)) }
        let other = TemporaryHome()
        try other.home.prepare()
        try (Data(repeating: 0xAA, count: 4_096) + copies[0].dropFirst(4_096)).write(to: other.home.cache)
        try copies[1].write(to: URL(fileURLWithPath: other.home.cache.path + "-wal"))
        let saved = try Salvage(file: other.home.cache)
        #expect(saved.unsent.map(\.record.key.id).sorted() == ["w", "x", "y", "z"])
        #expect(saved.isComplete && saved.unreadable == 0)
    }

    @Test func `several processes that open a damaged file at once set it aside once`() async throws {
        try await fill()
        try await Damage.firstPage.apply(to: home.cache)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<6 {
                tasks.addTask { [home] in
                    let store = try await LocalStore.open(home)
                    try await store.write { _ = try $0.tick() }
                }
            }
            try await tasks.waitForAll()
        }
        #expect(try putAside().count { !$0.path.hasSuffix("-wal") && !$0.path.hasSuffix("-shm") } == 1)
        #expect(try LocalStore(home: home).readNow { try $0.outbox.unsent().records } == 3)
    }

    @Test func `a file that another process has open isn't set aside`() async throws {
        try await fill()
        let other = try #require(try home.cacheLock.attempt(shared: true))
        try await Damage.garbage.apply(to: home.cache)
        let file = CacheFile(home: home, types: .standard, wall: { 1_000 }, patience: .milliseconds(50))
        #expect(throws: LocalStoreError.inUse(path: home.cache.path)) { try file.open() }
        #expect(try putAside().isEmpty)
        other.release()
        _ = try LocalStore(home: home)
        #expect(try putAside().count == 1)
    }

    @Test func `waiting for a process that rebuilds the file has a limit, and the error names it`() async throws {
        try await fill()
        let other = try #require(try home.cacheLock.attempt())
        defer { other.release() }
        let file = CacheFile(home: home, types: .standard, wall: { 1_000 }, patience: .milliseconds(50))
        let error = #expect(throws: LocalStoreError.self) { try file.open() }
        #expect(error == .busy(path: home.cache.path, holder: home.cacheLock.holder()))
        #expect(home.cacheLock.holder()?.process == getpid())
    }

    @Test func `waiting for a process that rebuilds the file ends with its task`() async throws {
        try await fill()
        let other = try #require(try home.cacheLock.attempt())
        defer { other.release() }
        let opening = Task { [home] in _ = try await LocalStore.open(home) }
        opening.cancel()
        await #expect(throws: CancellationError.self) { try await opening.value }
    }

    @Test func `a rebuilt file is locked like any other: others can open it, and none sets it aside`() async throws {
        try await fill()
        try await Damage.firstPage.apply(to: home.cache)
        let store = try LocalStore(home: home)
        #expect(try home.cacheLock.attempt() == nil)
        #expect(
            try LocalStore(home: home).readNow { try $0.outbox.unsent() } == store.readNow { try $0.outbox.unsent() })
    }

    @Test func `a swap that a crash has interrupted is completed by the next open`() async throws {
        try await fill()
        try await Damage.firstPage.apply(to: home.cache)
        let file = CacheFile(home: home, types: .standard, wall: { 1_000 })
        let swap = CacheSwap(home: home)
        try file.build(swap, since: LocalStoreError.damaged(path: "", reason: "a test"))
        let aside = try #require(try swap.unfinished())
        try FileManager.default.moveItem(at: home.cache, to: aside)
        let store = try LocalStore(home: home)
        #expect(try swap.unfinished() == nil)
        #expect(try store.readNow { try $0.outbox.unsent().records } == 3)
        #expect(try putAside() == [aside])
    }

    @Test func `a locked cache is not damaged`() async throws {
        try await fill()
        let store = try LocalStore(home: home)
        try store.writeNow { cache in
            try cache.setMeta(.deviceName, "held")
            _ = try LocalStore(home: home).readNow { try $0.outbox.unsent() }
        }
        #expect(try putAside().isEmpty)
    }

    @Test func `a cache that was removed without its session is created again for the same account and device`()
        async throws
    {
        try await fill()
        for part in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: home.cache.path + part) }
        let store = try LocalStore(home: home)
        #expect(try store.readNow { try $0.replica.state().remote } == "s")
        #expect(try store.writeNow { try $0.device() } == "d")
        #expect(try await store.removeNotice()?.contains("although anna has signed in on this home") == true)
    }

    @Test func `a file that isn't a cache can't be recovered; that is an error`() async throws {
        let store = try LocalStore(home: home)
        for (name, bytes) in [("text", Data("some text".utf8)), ("large", Data(repeating: 7, count: 100_000))] {
            let file = home.directory.appending(path: name)
            try bytes.write(to: file)
            await #expect(throws: LocalStoreError.notACache(path: file.path)) { _ = try await store.salvage(file) }
        }
    }

    @Test func `a missing file can't be recovered, and that is reported`() {
        #expect(throws: LocalStoreError.self) { try Salvage(file: home.directory.appending(path: "none")) }
    }
}
