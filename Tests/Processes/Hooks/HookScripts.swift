import Foundation

/// A home with a folder of hooks, removed when the test lets go of it.
final class HookScripts: Sendable {
    let home = FileManager.default.temporaryDirectory.appending(path: "hooks-\(UUID().uuidString)")

    var folder: String { home.appending(path: "hooks").path }

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    deinit { try? FileManager.default.removeItem(at: home) }

    /// Writes a script of the shell, and returns its path.
    @discardableResult
    func write(_ name: String, _ script: String, mode: Int = 0o755) throws -> String {
        let path = folder + "/" + name
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// What a script has written into a file in the home.
    func text(_ name: String) throws -> String {
        try String(contentsOf: home.appending(path: name), encoding: .utf8)
    }
}
