import Foundation
import SQLiteServerStore
import ServerCore
import TestSupport
import Testing

/// Commands that root runs on the data directory of another user. Other users can't give files away.
@Suite(.enabled(if: geteuid() == 0, "only root can give files to another user"))
struct DirectoryOwnerTests {
    /// Runs `body` with an empty data directory of the user `nobody`.
    private func withForeignDirectory(_ body: (_ data: URL, _ user: uid_t) async throws -> Void) async throws {
        let user = try #require(getpwnam("nobody")?.pointee.pw_uid)
        try await withTemporaryDirectory { directory in
            let data = directory.appending(path: "data")
            #expect(mkdir(data.path, 0o700) == 0)
            #expect(chown(data.path, user, gid_t(user)) == 0)
            try await body(data, user)
        }
    }

    /// Returns the names of the files that don't belong to the user.
    private func foreignFiles(in directory: URL, of user: uid_t) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).filter { name in
            try owner(directory.appending(path: name)) != user
        }
    }

    private func owner(_ file: URL) throws -> uid_t? {
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        return (attributes[.ownerAccountID] as? NSNumber)?.uint32Value
    }

    @Test func theFilesOfACommandBelongToTheOwnerOfTheDirectory() async throws {
        try await withForeignDirectory { data, user in
            for _ in 0..<2 {
                let store = try await SQLiteServerStore.openShared(directory: data)
                #expect(FileManager.default.fileExists(atPath: data.appending(path: "server.sqlite-wal").path))
                #expect(try foreignFiles(in: data, of: user) == [])
                try await store.shutDown()
                #expect(try foreignFiles(in: data, of: user) == [])
            }
        }
    }

    @Test func whatABackupAndARestoreWriteThereBelongsToItToo() async throws {
        try await withForeignDirectory { data, user in
            try await SQLiteServerStore.openShared(directory: data).shutDown()
            let backup = data.appending(path: "monday")
            _ = try SQLiteServerStore.backup(directory: data, to: backup)
            #expect(try owner(backup) == user)
            let report = try SQLiteServerStore.restore(backup, to: data, now: 1)
            #expect(report.putAside != nil)
            #expect(try foreignFiles(in: data, of: user) == [])
        }
    }

    @Test func aBackupElsewhereStaysThatOfRoot() async throws {
        try await withForeignDirectory { data, _ in
            try await SQLiteServerStore.openShared(directory: data).shutDown()
            let backup = data.deletingLastPathComponent().appending(path: "monday")
            _ = try SQLiteServerStore.backup(directory: data, to: backup)
            #expect(try owner(backup) == 0)
        }
    }

    @Test func aLinkGivesNoOtherFileAway() async throws {
        try await withForeignDirectory { data, _ in
            let other = data.deletingLastPathComponent().appending(path: "other")
            #expect(FileManager.default.createFile(atPath: other.path, contents: nil))
            #expect(symlink(other.path, data.appending(path: "server.lock").path) == 0)
            #expect(link(other.path, data.appending(path: "server.reserve").path) == 0)
            try await SQLiteServerStore.openShared(directory: data).shutDown()
            #expect(try owner(other) == 0)
        }
    }
}
