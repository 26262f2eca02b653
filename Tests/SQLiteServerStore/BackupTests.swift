import Foundation
import GRDB
import Records
import SQLiteServerStore
import ServerCore
import Testing
import SyncAPI
import TestSupport

/// Runs `body` with a store on disk that has space `s` with a record of version 1, and a path for a backup.
private func withStore(
    _ body: (_ store: SQLiteServerStore, _ data: URL, _ file: URL) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        let data = directory.appending(path: "data")
        let store = try SQLiteServerStore(directory: data, epoch: "first")
        try await store.write { try $0.insertSpace(id: "s") }
        try await add("a", to: store)
        try await body(store, data, directory.appending(path: "backup"))
    }
}

/// Adds a task to space `s`.
private func add(_ id: String, to store: SQLiteServerStore) async throws {
    try await store.write { tx in
        guard var space = try tx.lockSpace("s") else { return }
        space.version += 1
        space.records += 1
        let record = RawRecord(
            key: RecordKey(collection: "tasks", id: id), version: space.version, deleted: false,
            modifiedAt: "2026-11-21T05:22:00.123Z", modifiedBy: "d", fields: "{}", clock: "{}")
        try tx.put([record], in: "s")
        try tx.update(space)
    }
}

/// The ids of the tasks in space `s`.
private func tasks(_ store: SQLiteServerStore) async throws -> [String] {
    try await store.read { tx in
        var ids: [String] = []
        try tx.visitLive(collection: "tasks", in: "s", after: nil) { record in
            ids.append(record.key.id)
            return true
        }
        return ids
    }
}

/// The same for a store that is opened for it.
private func tasks(in directory: URL) async throws -> [String] {
    let store = try SQLiteServerStore(directory: directory)
    let ids = try await tasks(store)
    try store.close()
    return ids
}

/// Whether an error refuses to replace a file of a data directory.
private func isRefusalOfOwnFile(_ error: any Error) -> Bool {
    switch error {
    case BackupError.ownFile: true
    default: false
    }
}

private let noon: Int64 = 1_795_262_400_000

@Suite struct BackupTests {
    @Test func aBackupIsAPrivateFileThatHoldsEverythingWhileTheServerRuns() async throws {
        try await withStore { store, data, file in
            let report = try SQLiteServerStore.backup(directory: data, to: file)
            #expect(report.records == 1)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            #expect(attributes[.size] as? Int64 == report.bytes)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path).count == 2)
            try await add("b", to: store)
            #expect(try await tasks(store) == ["a", "b"])
        }
    }

    @Test func aStoreBacksItselfUpLikeTheCommand() async throws {
        try await withStore { store, data, file in
            let own = try store.backup(to: file)
            let command = try SQLiteServerStore.backup(directory: data, to: file, replacing: true)
            #expect(own == command)
        }
    }

    @Test func aBackupIsReplacedOnlyOnRequest() async throws {
        try await withStore { store, data, file in
            try Data("mine".utf8).write(to: file)
            #expect(throws: BackupError.exists(file: file.path)) { try store.backup(to: file) }
            #expect(try Data(contentsOf: file) == Data("mine".utf8))
            _ = try store.backup(to: file, replacing: true)
            #expect(try Data(contentsOf: file).count > 4)
        }
    }

    @Test(arguments: [
        "server.sqlite", "server.sqlite-wal", "server.sqlite-shm", "server.sqlite-journal", "server.lock",
        "server.lock.commands", "server.reserve", "server.sqlite.partial",
        "server.sqlite.before-restore-20261121T052200Z", "server.sqlite.before-upgrade-9",
    ])
    func aBackupReplacesNoFileOfADataDirectory(name: String) async throws {
        try await withStore { store, data, file in
            let other = file.deletingLastPathComponent().appending(path: "other")
            try SQLiteServerStore(directory: other).close()
            for folder in [data, other] {
                let place = folder.appending(path: name)
                let before = try? Data(contentsOf: place)
                #expect {
                    try SQLiteServerStore.backup(directory: data, to: place, replacing: true)
                } throws: { error in
                    isRefusalOfOwnFile(error)
                }
                #expect((try? Data(contentsOf: place)) == before)
            }
            try await add("b", to: store)
            #expect(try await tasks(store) == ["a", "b"])
        }
    }

    @Test func aBackupReplacesNoOtherFileOfTheProgram() async throws {
        try await withTemporaryDirectory { directory in
            let (data, files) = (directory.appending(path: "data"), StoreFiles(others: ["first-invitation"]))
            try SQLiteServerStore(directory: data, files: files).close()
            #expect {
                try SQLiteServerStore.backup(
                    directory: data, files: files, to: data.appending(path: "first-invitation"))
            } throws: { error in
                isRefusalOfOwnFile(error)
            }
        }
    }

    @Test func aBackupReplacesNoLinkToAFileOfADataDirectory() async throws {
        try await withStore { store, data, file in
            let (database, folder) = (data.appending(path: "server.sqlite"), file.deletingLastPathComponent())
            let (hard, soft) = (folder.appending(path: "hard"), folder.appending(path: "soft"))
            let directory = folder.appending(path: "directory")
            #expect(link(database.path, hard.path) == 0)
            #expect(symlink("data/server.sqlite-journal", soft.path) == 0)
            #expect(symlink(data.path, directory.path) == 0)
            for place in [hard, soft, directory.appending(path: "server.lock")] {
                #expect {
                    try SQLiteServerStore.backup(directory: data, to: place, replacing: true)
                } throws: { error in
                    isRefusalOfOwnFile(error)
                }
            }
            let left = try await tasks(store)
            #expect(left == ["a"])
        }
    }

    /// A database next to which there is nothing of a server is a backup.
    @Test func aBackupWithTheNameOfADatabaseIsReplacedByTheNextOne() async throws {
        try await withStore { store, data, file in
            try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
            let place = file.appending(path: "server.sqlite")
            _ = try SQLiteServerStore.backup(directory: data, to: place)
            try await add("b", to: store)
            let report = try SQLiteServerStore.backup(directory: data, to: place, replacing: true)
            #expect(report.records == 2)
        }
    }

    @Test func aDirectoryWithoutADatabaseCannotBeBackedUp() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending(path: "backup")
            #expect(throws: BackupError.noDatabase(directory: directory.path)) {
                _ = try SQLiteServerStore.backup(directory: directory, to: file)
            }
        }
    }

    @Test func aPathThatCannotBeWrittenIsNamed() async throws {
        try await withStore { store, data, file in
            let place = data.appending(path: "none/backup")
            #expect {
                try store.backup(to: place)
            } throws: { error in
                "\(error)" == "\(place.path).partial can't be written: No such file or directory"
            }
        }
    }

    @Test func aCopyInMemoryIsASnapshot() async throws {
        try await withStore { store, _, _ in
            let copy = try SQLiteServerStore(copying: store, scheduling: .inline)
            try await add("b", to: store)
            let second = try SQLiteServerStore(copying: copy, scheduling: .inline)
            try await add("c", to: copy)
            #expect(try await tasks(copy) == ["a", "c"])
            #expect(try await tasks(second) == ["a"])
            try await second.write { try $0.markRestored(epoch: "second", now: noon) }
            #expect(try await second.read { try $0.shared(since: "first", in: "s") } == 1)
            #expect(try await copy.read { try $0.epoch() } == "first")
        }
    }
}

@Suite struct RestoreTests {
    @Test func aRestoredDirectoryHasTheContentsOfTheBackupInANewEpoch() async throws {
        try await withStore { store, data, file in
            _ = try store.backup(to: file)
            try await add("b", to: store)
            try store.close()
            let report = try SQLiteServerStore.restore(file, to: data, epoch: "second", now: noon)
            #expect(report.restored.records == 1)
            let restored = try SQLiteServerStore(directory: data)
            #expect(try await tasks(restored) == ["a"])
            #expect(try await restored.read { try $0.epoch() } == "second")
            #expect(try await restored.read { try $0.shared(since: "first", in: "s") } == 1)
            #expect(try await restored.read { try $0.space("s")?.version } == RestoredVersion.least(now: noon))
        }
    }

    @Test func thePreviousDatabaseIsSetAsideWhole() async throws {
        try await withStore { store, data, file in
            _ = try store.backup(to: file)
            try await add("b", to: store)
            try store.close()
            let first = try SQLiteServerStore.restore(file, to: data, now: noon)
            let second = try SQLiteServerStore.restore(file, to: data, now: noon)
            #expect(first.putAside?.lastPathComponent == "server.sqlite.before-restore-20261121T120000Z")
            #expect(second.putAside?.lastPathComponent == "server.sqlite.before-restore-20261121T120000Z-2")
            let aside = try #require(first.putAside)
            let undone = data.deletingLastPathComponent().appending(path: "undone")
            _ = try SQLiteServerStore.restore(aside, to: undone, now: noon)
            #expect(try await tasks(in: undone) == ["a", "b"])
        }
    }

    @Test func theLogOfAKilledServerIsSetAsideToo() async throws {
        try await withStore { store, data, file in
            _ = try store.backup(to: file)
            try await add("b", to: store)
            // After a killed server: the files as they are, with a write-ahead log that isn't checkpointed.
            let killed = data.deletingLastPathComponent().appending(path: "killed")
            try FileManager.default.copyItem(at: data, to: killed)
            #expect(FileManager.default.fileExists(atPath: killed.appending(path: "server.sqlite-wal").path))
            let aside = try #require(try SQLiteServerStore.restore(file, to: killed, now: noon).putAside)
            #expect(try await tasks(in: killed) == ["a"])
            let undone = data.deletingLastPathComponent().appending(path: "undone")
            _ = try SQLiteServerStore.restore(aside, to: undone, now: noon)
            #expect(try await tasks(in: undone) == ["a", "b"])
        }
    }

    @Test func aDamagedDatabaseIsSetAsideUnchanged() async throws {
        try await withStore { store, data, file in
            _ = try store.backup(to: file)
            try store.close()
            let place = data.appending(path: "server.sqlite")
            // Its log alone could complete it.
            try FileManager.default.removeItem(at: data.appending(path: "server.sqlite-wal"))
            try Data("nothing that SQLite knows".utf8).write(to: place)
            let aside = try #require(try SQLiteServerStore.restore(file, to: data, now: noon).putAside)
            #expect(try Data(contentsOf: aside) == Data("nothing that SQLite knows".utf8))
            #expect(try await tasks(in: data) == ["a"])
        }
    }

    @Test func aDatabaseThatWasCopiedBackByHandIsMarkedByRestoringItself() async throws {
        try await withStore { store, data, _ in
            try store.close()
            _ = try SQLiteServerStore.restore(data.appending(path: "server.sqlite"), to: data, epoch: "e", now: noon)
            let marked = try SQLiteServerStore(directory: data)
            #expect(try await marked.read { try $0.shared(since: "first", in: "s") } == 1)
        }
    }

    @Test func aDirectoryThatAServerUsesIsUnchanged() async throws {
        try await withStore { store, data, file in
            _ = try store.backup(to: file)
            #expect(throws: StoreOpeningError.inUse(directory: data.path)) {
                try SQLiteServerStore.restore(file, to: data, now: noon)
            }
            #expect(try await store.read { try $0.epoch() } == "first")
        }
    }

    /// What can't be restored, and the beginning of its message after the file's name.
    private static let unfit: [(make: @Sendable (URL) throws -> Void, message: String)] = [
        ({ try Data("some text that is long enough to be taken for a header".utf8).write(to: $0) }, "is not a backup"),
        ({ try Data().write(to: $0) }, "is not a backup"),
        ({ _ in }, "can't be read: No such file"),
        ({ try FileManager.default.createDirectory(at: $0, withIntermediateDirectories: false) }, "can't be read"),
        ({ try change($0, "CREATE TABLE t (n)") }, "is not a backup"),
        (
            { file in
                _ = try SQLiteServerStore().backup(to: file)
                try change(file, "INSERT INTO grdb_migrations VALUES ('99: later')")
            }, "was written by a newer version of the server"
        ),
        (
            { file in
                _ = try SQLiteServerStore().backup(to: file)
                let handle = try FileHandle(forWritingTo: file)
                try handle.truncate(atOffset: 3 * 4_096)
                try handle.close()
            }, "is damaged"
        ),
    ]

    private static func change(_ file: URL, _ sql: String) throws {
        let database = try DatabaseQueue(path: file.path)
        try database.inDatabase { try $0.execute(sql: sql) }
        try database.close()
    }

    @Test(arguments: unfit.indices)
    func anIncompleteBackupIsRefusedAndNothingChanges(_ index: Int) async throws {
        try await withStore { store, data, file in
            try store.close()
            let before = try Set(FileManager.default.contentsOfDirectory(atPath: data.path))
            try Self.unfit[index].make(file)
            #expect {
                try SQLiteServerStore.restore(file, to: data, now: noon)
            } throws: { error in
                "\(error)".hasPrefix("\(file.path) \(Self.unfit[index].message)")
            }
            #expect(try Set(FileManager.default.contentsOfDirectory(atPath: data.path)) == before)
            let unchanged = try SQLiteServerStore(directory: data)
            #expect(try await unchanged.read { try $0.epoch() } == "first")
        }
    }
}
