internal import Foundation

/// A copy of a database and its log in a directory of its own (mode 0700), so that SQLite may do with it what it wants.
struct ScratchCopy {
    /// The copy.
    let file: URL

    init(of original: URL) throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "scratch-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        file = directory.appending(path: "copy.db")
        do {
            for part in ["", "-wal"] where FileManager.default.fileExists(atPath: original.path + part) {
                let copy = file.path + part
                try FileManager.default.copyItem(atPath: original.path + part, toPath: copy)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
            }
        } catch {
            remove()
            throw LocalStoreError.unusable(path: original.path, reason: "it can't be copied")
        }
    }

    /// Removes the copy.
    func remove() { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
}
