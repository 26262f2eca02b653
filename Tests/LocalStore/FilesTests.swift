import Backend
import Foundation
import Locking
import PrivateFiles
import Records
import SyncAPI
import TestSupport
import Testing

@testable import LocalStore

/// A directory for one test, removed with it.
final class TemporaryHome {
    let home: Home

    init() { home = Home(directory: FileManager.default.temporaryDirectory.appending(path: "satchel-\(UUID())/home")) }

    deinit { try? FileManager.default.removeItem(at: home.directory.deletingLastPathComponent()) }

    func mode(_ file: String) throws -> Int? {
        let path = file.isEmpty ? home.directory.path : home.directory.appending(path: file).path
        return try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
}

@Suite struct FilesTests {
    private let temporary = TemporaryHome()
    private var home: Home { temporary.home }

    @Test func `other users can't read the home and its files`() async throws {
        let store = try await LocalStore.open(home)
        try store.writeNow { _ = try $0.edit(key, ["title": "Milk"]) }
        try await FileCredentialStore(home: home).save(credentials("one"))
        #expect(try temporary.mode("") == 0o700)
        for file in ["cache.db", "cache.db-wal", "cache.db-shm", "session.json"] {
            #expect(try temporary.mode(file) == 0o600, "\(file)")
        }
    }

    @Test func `every file that a home has is one of its own files`() async throws {
        let store = try await LocalStore.open(home)
        try await FileCredentialStore(home: home).save(credentials("one"))
        for lock in [home.syncLock, home.backgroundLock, home.sessionLock] { try lock.attempt()?.release() }
        let names = try FileManager.default.contentsOfDirectory(atPath: home.directory.path)
        #expect(names.count >= 7)
        for name in names { #expect(home.ownFiles.contains(home.directory.path + "/" + name), "\(name)") }
        for file in [home.history, home.drafts, home.hooks, home.promptMemory, home.pageMemory, home.pageFiles] {
            #expect(home.ownFiles.contains(file.path), "\(file.path)")
        }
        #expect(home.ownFiles.contains(home.cache.path + ".before-upgrade-8"))
        #expect(!home.ownFiles.contains(home.directory.path + "/export.json"))
        withExtendedLifetime(store) {}
    }

    @Test func `an unused home is removed, with the id of its device`() async throws {
        let store = try await LocalStore.open(home)
        _ = try await store.view { try $0.device() }
        try await store.removeUnusedHome()
        #expect(!FileManager.default.fileExists(atPath: home.directory.path))
    }

    @Test func `a home with a record, another file or a second process stays`() async throws {
        let exists = { FileManager.default.fileExists(atPath: home.cache.path) }
        let first = try await LocalStore.open(home)
        let second = try await LocalStore.open(home)
        try await first.removeUnusedHome()
        #expect(exists(), "another one has it open")
        try second.writeNow { _ = try $0.edit(key, ["title": "Milk"]) }
        try await second.removeUnusedHome()
        #expect(exists(), "it has a record")
        let other = TemporaryHome()
        let third = try await LocalStore.open(other.home)
        try Data("x".utf8).write(to: other.home.directory.appending(path: "draft"))
        try await third.removeUnusedHome()
        #expect(FileManager.default.fileExists(atPath: other.home.cache.path))
    }

    @Test func `a home that is a file, or is in one, is refused, and the message names the file`() async throws {
        let file = home.directory.deletingLastPathComponent().appending(path: "file")
        try home.prepare()
        try Data("x".utf8).write(to: file)
        for directory in [file, file.appending(path: "home")] {
            await #expect(throws: LocalStoreError.notADirectory(path: file.path)) {
                _ = try await LocalStore.open(Home(directory: directory))
            }
        }
    }

    @Test func `a cache whose work is inline reads and writes on the thread of its caller`() async throws {
        let store = try LocalStore(home: home, scheduling: .inline)
        let caller = pthread_self()
        let reader = try await store.read { _ in pthread_self() }
        let writer = try await store.write { _ in pthread_self() }
        #expect(reader == caller)
        #expect(writer == caller)
    }

    @Test func `a write is on the disk before it returns`() throws {
        let store = try LocalStore(home: home)
        #expect(try store.pragma("synchronous") == "2")
        #expect(try store.pragma("journal_mode") == "wal")
    }

    @Test func `the cache persists after it was closed`() throws {
        try LocalStore(home: home).writeNow { _ = try $0.edit(key, ["title": "Milk"]) }
        #expect(try LocalStore(home: home).readNow { try $0.records().map(\.key) } == [key])
    }

    @Test func `several processes may create the cache at the same time`() async throws {
        // Several homes, since each attempt may find the new file in a different state.
        for number in 0..<20 {
            let home = Home(directory: home.directory.appending(path: "\(number)"))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                for _ in 0..<8 { tasks.addTask { try LocalStore(home: home).writeNow { _ = try $0.tick() } } }
                try await tasks.waitForAll()
            }
        }
    }

    @Test func `an empty file without a session is a new home`() throws {
        try home.prepare()
        try Data().write(to: home.cache)
        #expect(try LocalStore(home: home).readNow { try $0.replica.state().remote } == nil)
    }

    @Test func `a cache that another program has locked for writing is opened and read`() async throws {
        let other = try LocalStore(home: home)
        try await other.inspect { [home] cache in
            try cache.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            try cache.execute("BEGIN EXCLUSIVE")
            defer { try? cache.execute("ROLLBACK") }
            #expect(try LocalStore(home: home).readNow { try $0.records() } == [])
        }
    }

    @Test(arguments: [false, true])
    func `a write to a file that no longer exists is refused`(isReplaced: Bool) async throws {
        let store = try LocalStore(home: home)
        let other = TemporaryHome()
        try LocalStore(home: other.home).writeNow { _ = try $0.tick() }
        try FileManager.default.removeItem(at: home.cache)
        if isReplaced { try FileManager.default.moveItem(at: other.home.cache, to: home.cache) }
        let refusal = LocalStoreError.replaced(path: home.cache.path)
        #expect(throws: refusal) { try store.writeNow { _ = try $0.edit(key, ["title": "Milk"]) } }
        await #expect(throws: refusal) { try await store.write { _ = try $0.edit(key, ["title": "Milk"]) } }
        #expect(try store.readNow { try $0.records() } == [])
    }

    @Test func `a write during the removal of the file isn't reported as stored`() throws {
        let store = try LocalStore(home: home)
        #expect(throws: LocalStoreError.replaced(path: home.cache.path)) {
            try store.writeNow { cache in
                _ = try cache.edit(key, ["title": "Milk"])
                try FileManager.default.removeItem(at: home.cache)
            }
        }
    }

    @Test func `another device's cache in this home becomes this device's, another account's doesn't`() async throws {
        try home.prepare()
        try await FileCredentialStore(home: home).save(credentials("one"))
        for (space, expected) in [("s", "d"), ("other", "desktop")] {
            for part in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: home.cache.path + part) }
            let other = TemporaryHome()
            try LocalStore(home: other.home).writeNow { cache in
                _ = try cache.device(new: "desktop")
                try cache.account.bind(remote: space, username: "anna")
            }
            try FileManager.default.moveItem(at: other.home.cache, to: home.cache)
            #expect(try LocalStore(home: home).writeNow { try $0.device() } == expected)
        }
    }

    @Test func `a cache of a newer version is reported and left unchanged`() throws {
        try LocalStore(home: home).writeNow { try $0.execute("INSERT INTO grdb_migrations VALUES ('999')") }
        #expect(throws: LocalStoreError.tooNew(path: home.cache.path)) { try LocalStore(home: home) }
    }

    @Test(arguments: [0o720, 0o702, 0o777, 0o1777])
    func `a home in which others may write is refused; the message says what to do`(mode: Int) throws {
        try home.prepare()
        #expect(chmod(home.directory.path, mode_t(mode)) == 0)
        let refusal = LocalStoreError.exposed(path: home.directory.path, command: "chmod go-w")
        #expect(throws: refusal) { try LocalStore(home: home) }
        #expect(refusal.message.hasSuffix("Run: chmod go-w '\(home.directory.path)'"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.directory.path) == [])
        #expect(chmod(home.directory.path, 0o755) == 0)
        _ = try LocalStore(home: home)
    }

    @Test(arguments: [0o644, 0o660, 0o606])
    func `a session that others may read is protected when the home is opened, and that is reported once`(mode: Int)
        async throws
    {
        try home.prepare()
        try await FileCredentialStore(home: home).save(credentials("one"))
        #expect(chmod(home.credentials.path, mode_t(mode)) == 0)
        let store = try LocalStore(home: home)
        #expect(try temporary.mode("session.json") == 0o600)
        let notice = try await store.removeNotice()
        #expect(notice?.contains("session in \(home.credentials.path)") == true && notice?.contains("`logout`") == true)
        #expect(try await LocalStore(home: home).removeNotice() == nil)
        #expect(try await FileCredentialStore(home: home).load() == credentials("one"))
    }

    @Test func `a file system without blocks is not full`() throws {
        #expect(throws: LocalStoreError.unusable(path: "/proc/home", reason: "the directory can't be made")) {
            try Home(directory: URL(fileURLWithPath: "/proc/home")).prepare()
        }
    }

    @Test func `a home that can't be created is reported`() throws {
        let below = Home(directory: URL(fileURLWithPath: "/dev/null/home"))
        #expect(throws: LocalStoreError.self) { try LocalStore(home: below) }
    }

    @Test func `writes of other processes are reported, and own writes at once`() async throws {
        let (one, other) = (try LocalStore(home: home), try LocalStore(home: home))
        var changes = one.changes(interval: .milliseconds(5)).makeAsyncIterator()
        await changes.next()
        try other.writeNow { _ = try $0.edit(key, ["title": "Milk"]) }
        await changes.next()
        #expect(try one.readNow { try $0.records().count } == 1)
        try one.writeNow { try $0.delete(key) }
        await changes.next()
    }

    @Test func `a write of another process since the opening is reported`() async throws {
        let (one, other) = (try LocalStore(home: home), try LocalStore(home: home))
        try other.writeNow { _ = try $0.edit(key, ["title": "Milk"]) }
        var changes = one.changes(beginsAtOnce: false, interval: .milliseconds(5)).makeAsyncIterator()
        #expect(await changes.next() != nil)
    }

    @Test(arguments: [(false, 0), (true, 1)])
    func `what is stored for a view is not reported`(isWrite: Bool, reported: Int) async throws {
        var store: LocalStore? = try LocalStore(home: home)
        let changes = try #require(store?.changes(beginsAtOnce: false, interval: .milliseconds(1)))
        let body: @Sendable (Cache) throws -> Void = { _ = try $0.edit(key, ["title": "Milk"]) }
        try await isWrite ? store?.write(body) : store?.view(body)
        // The stream ends with the store.
        store = nil
        var count = 0
        for await _ in changes { count += 1 }
        #expect(count == reported)
    }

    @Test func `the stream of changes ends with the store`() async throws {
        var store: LocalStore? = try LocalStore(home: home)
        let changes = store?.changes(interval: .milliseconds(1))
        store = nil
        for await _ in try #require(changes) {}
    }
}

@Suite struct CredentialFileTests {
    private let temporary = TemporaryHome()
    private var home: Home { temporary.home }

    init() throws { try temporary.home.prepare() }

    @Test func `a session is stored, replaced and deleted`() async throws {
        let store = FileCredentialStore(home: home)
        #expect(try await store.load() == nil)
        for token in ["one", "two"] {
            try await store.save(credentials(token))
            #expect(try await FileCredentialStore(home: home).load() == credentials(token))
        }
        try await store.save(nil)
        try await store.save(nil)
        #expect(try await store.load() == nil)
    }

    @Test func `a session is replaced as a whole, never written in place`() async throws {
        let store = FileCredentialStore(home: home)
        try await store.save(credentials("one"))
        let reader = try FileHandle(forReadingFrom: home.credentials)
        try await store.save(credentials("two"))
        let former = try #require(try reader.readToEnd())
        #expect(try JSONDecoder().decode(Credentials.self, from: former) == credentials("one"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.directory.path) == ["session.json"])
    }

    @Test func `a session that others may read while the home is open is refused, with what to do`() async throws {
        let store = FileCredentialStore(home: home)
        try await store.save(credentials("one"))
        #expect(chmod(home.credentials.path, 0o640) == 0)
        let refusal = LocalStoreError.exposed(path: home.credentials.path, command: "chmod 600")
        await #expect(throws: refusal) { try await store.load() }
        #expect(refusal.message.hasSuffix("Run: chmod 600 '\(home.credentials.path)'"))
        try await store.save(credentials("two"))
        #expect(try await store.load() == credentials("two"))
    }

    @Test func `a session is never written through a link`() async throws {
        let victim = home.directory.appending(path: "victim").path
        try Data("precious".utf8).write(to: URL(filePath: victim))
        for name in ["session.json.new", "session.json"] {
            let link = home.directory.appending(path: name).path
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: victim)
            try await FileCredentialStore(home: home).save(credentials(name))
            #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
            #expect(try await FileCredentialStore(home: home).load() == credentials(name))
            try await FileCredentialStore(home: home).save(nil)
        }
    }

    @Test func `an invalid session file is reported`() async throws {
        try Data("{}".utf8).write(to: home.credentials)
        #expect(chmod(home.credentials.path, 0o600) == 0)
        await #expect(throws: BackendError.damagedSession(path: home.credentials.path)) {
            try await FileCredentialStore(home: home).load()
        }
    }

    @Test func `two stores of a home exclude each other`() async throws {
        let inside = Locked(0)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            for _ in 0..<6 {
                let store = FileCredentialStore(home: home, wait: LockWait(limit: .seconds(600)))
                tasks.addTask {
                    try await store.exclusively {
                        let count = inside.withLock { count in
                            count += 1
                            return count
                        }
                        #expect(count == 1)
                        await Task.yield()
                        inside.withLock { $0 -= 1 }
                    }
                }
            }
            try await tasks.waitForAll()
        }
    }
}

@Suite struct BusyDatabaseTests {
    private let temporary = TemporaryHome()

    @Test func `waiting for another process's write ends at its limit, or with its task`() async {
        let goesOn = BusyDatabase.waiting(limit: .seconds(600))
        #expect(goesOn(0))
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return goesOn(1)
        }
        #expect(await cancelled.value == false)
        #expect(goesOn(1))
        #expect(BusyDatabase.waiting(limit: .zero)(0) == false)
    }

    @Test func `the process that writes to the cache is known while it writes`() throws {
        let store = try LocalStore(home: temporary.home)
        let path = temporary.home.cache.path
        let writer = try store.writeNow { cache in
            try cache.settings.add(notice: "written")
            return BusyDatabase.writer(of: path)
        }
        #expect(writer == LockHolder(process: getpid(), since: nil))
        #expect(BusyDatabase.writer(of: path) == nil)
    }

    @Test(
        arguments: [
            ("1: POSIX  ADVISORY  WRITE 4711 fe:01:131105 120 120", 4_711),
            ("1: POSIX  ADVISORY  WRITE 4711 fe:01:131105 0 EOF", 4_711),
            // Another byte, a reader, another file, a lock of flock, one of another machine, and invalid text.
            ("1: POSIX  ADVISORY  WRITE 4711 fe:01:131105 123 123", nil),
            ("1: POSIX  ADVISORY  READ  4711 fe:01:131105 120 120", nil),
            ("1: POSIX  ADVISORY  WRITE 4711 fe:01:131106 120 120", nil),
            ("1: FLOCK  ADVISORY  WRITE 4711 fe:01:131105 0 EOF", nil),
            ("1: POSIX  ADVISORY  WRITE -1 fe:01:131105 120 120", nil), ("", nil), ("WRITE", nil),
        ] as [(String, Int32?)])
    func `the writing process is read from the kernel's list`(line: String, process: Int32?) {
        let locks = "2: FLOCK  ADVISORY  WRITE 1 fe:01:7 0 EOF\n" + line + "\n"
        #expect(BusyDatabase.writer(ofInode: 131_105, in: locks)?.process == process)
    }
}

@Suite struct FileLockTests {
    private let temporary = TemporaryHome()

    init() throws { try temporary.home.prepare() }

    @Test func `one process holds the lock, then the next one`() throws {
        let lock = temporary.home.syncLock
        let held = try #require(try lock.attempt())
        #expect(try lock.attempt() == nil)
        held.release()
        try #require(try lock.attempt()).release()
    }

    @Test func `a lock is never acquired through a symbolic link, and the target of the link is unchanged`() throws {
        let target = temporary.home.directory.appending(path: "target")
        try Data("kept".utf8).write(to: target)
        let path = temporary.home.directory.appending(path: "a.lock").path
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target.path)
        #expect(throws: LocalStoreError.self) { try FileLock(path: path).attempt() }
        #expect(try Data(contentsOf: target) == Data("kept".utf8))
    }

    @Test func `waiting for the lock is cancelled with its task`() async throws {
        let lock = temporary.home.syncLock
        let held = try #require(try lock.attempt())
        let waiting = Task { try await lock.acquire(LockWait(limit: .seconds(60))) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        held.release()
    }

    @Test func `waiting for the lock ends at its limit, and names the process that holds it`() async throws {
        let lock = FileLock(path: temporary.home.directory.appending(path: "a.lock").path) { Timestamp(seconds: 0) }
        let held = try #require(try lock.attempt())
        let clock = ManualClock()
        let wait = LockWait(limit: .seconds(5), interval: .seconds(1), now: { clock.now.sinceStart }) {
            clock.advance(by: $0 - clock.now.sinceStart)
        }
        let notices = Locked<[String]>([])
        let error = await #expect(throws: LocalStoreError.self) {
            try await WaitNotice.reported(to: { notice in notices.withLock { $0.append(notice) } }) {
                _ = try await lock.acquire(wait)
            }
        }
        #expect(clock.now.sinceStart == .seconds(5))
        #expect(error?.message.contains("(\(getpid()))") == true)
        #expect(notices.withLock { $0 }.count == 1)
        #expect(notices.withLock { $0.first } == wait.notice(lock.holder()))
        held.release()
    }

    @Test func `a notice names another process that holds the lock by its id, and this one as this session`() throws {
        var wait = LockWait(limit: .seconds(1))
        wait.work = "sync"
        let other = LockHolder(process: 4_711, since: Timestamp(seconds: 0))
        let since = try #require(other.localTime)
        #expect(
            wait.notice(other) == "Waiting for another process with this home (process 4711, running since \(since)) …")
        let own = LockHolder(process: getpid(), since: Timestamp(seconds: 0))
        #expect(wait.notice(own) == "Waiting for this session's own sync, running since \(since) …")
    }

    @Test func `the holder is the process that holds the lock now, or none once it is free`() throws {
        let path = temporary.home.directory.appending(path: "a.lock").path
        let lock = FileLock(path: path) { Timestamp(seconds: 60) }
        #expect(lock.holder() == nil)
        let held = try #require(try lock.attempt())
        #expect(lock.holder() == LockHolder(process: getpid(), since: Timestamp(seconds: 60)))
        held.release()
        #expect(lock.holder() == nil)
        // Left behind by a killed process: the lock is free, whatever the text says, …
        try "\(getpid()) 1970-01-01T00:00:00Z\n".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(lock.holder() == nil)
        // … and a process that has exited isn't named while another one holds the lock.
        let next = try #require(try lock.attempt())
        try "\(Int32.max) 1970-01-01T00:00:00Z\n".write(toFile: path, atomically: false, encoding: .utf8)
        #expect(lock.holder() == nil)
        next.release()
    }

    @Test func `the lock is released when its holder dies`() async throws {
        let path = temporary.home.directory.appending(path: "sync.lock").path
        let holder = Task { try await TestProgram.run("flock", ["--no-fork", path, "sleep", "60"]) }
        try await eventually("the program holds the lock") {
            guard let held = try temporary.home.syncLock.attempt() else { return true }
            held.release()
            return false
        }
        holder.cancel()
        _ = try? await holder.value
        try await temporary.home.syncLock.acquire(LockWait(limit: .seconds(60))).release()
    }
}

@Suite struct HomeTests {
    @Test(
        arguments: [
            ("/option", ["SATCHEL_HOME": "/variable", "XDG_DATA_HOME": "/data", "HOME": "/me"], "/option"),
            (nil, ["SATCHEL_HOME": "/variable", "XDG_DATA_HOME": "/data", "HOME": "/me"], "/variable"),
            ("", ["SATCHEL_HOME": "/variable", "HOME": "/me"], "/variable"),
            (nil, ["SATCHEL_HOME": "", "XDG_DATA_HOME": "/data", "HOME": "/me"], "/data/satchel"),
            (nil, ["XDG_DATA_HOME": "relative", "HOME": "/me"], "/me/.local/share/satchel"),
            (nil, ["HOME": "/me"], "/me/.local/share/satchel"),
        ] as [(String?, [String: String], String)])
    func `the option has precedence, then the variable, then XDG`(
        option: String?, environment: [String: String], path: String
    ) {
        let names = Home.Names(directory: "satchel", variable: "SATCHEL_HOME", cache: "satchel.db")
        let home = Home.resolve(names, option: option, environment: environment)
        #expect(home.directory.path == path)
        #expect(home.cache.lastPathComponent == "satchel.db")
    }
}

func credentials(_ token: String) throws -> Credentials {
    Credentials(
        identity: SessionIdentity(
            server: try ServerAddress("https://example.org"),
            account: Account(id: "a", username: "anna", personalSpace: "s"),
            device: SessionGrant.Device(id: "d", name: "laptop")),
        state: .active(tokens: Tokens(access: token, accessExpiresAt: nil, refresh: "r")))
}
