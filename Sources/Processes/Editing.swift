import Foundation

extension ForegroundProgram {
    /// Has the person edit a text, and hands over what it has become.
    ///
    /// The text is in a file that only the person can read, and is gone once `take` has taken it. When the editor fails
    /// after it wrote, or `take` refuses what was typed, the file stays, and the error says where.
    /// - Parameter ending: The file's ending, by which editors choose how they show it: `md`.
    /// - Throws: `ProgramFailure`, `RefusedText`, or what the file system throws.
    public func edit<Result>(
        _ text: String, ending: String, isolation: isolated (any Actor)? = #isolation,
        take: (String) async throws -> Result
    ) async throws -> Result {
        let file = try PrivateFile(text, ending: ending)
        do {
            try await run(on: file.path, .byName)
        } catch {
            var failure = error
            if try file.text() == text { try file.remove() } else { failure.leftover = file.path }
            throw failure
        }
        let edited = try file.text()
        let result: Result
        do { result = try await take(edited) } catch {
            if edited == text { try file.remove() }
            throw edited == text ? error : RefusedText(leftover: file.path, reason: error)
        }
        try file.remove()
        return result
    }

    /// Has the person edit a text, and returns what it has become; see `edit(_:ending:take:)`.
    public func edit(_ text: String, ending: String) async throws -> String {
        try await edit(text, ending: ending) { $0 }
    }

    /// Has the person read a text in the pager; one that is left before its end is no failure.
    ///
    /// - Throws: `ProgramFailure`, or what the file system throws.
    public func page(_ text: String) async throws {
        let file = try PrivateFile(text, ending: "txt")
        defer { try? file.remove() }
        try await run(on: file.path, .asInput)
    }
}

/// What was typed in an editor and couldn't be taken; it isn't lost.
public struct RefusedText: Error {
    /// The file that has it.
    public let leftover: String
    /// Why it couldn't be taken.
    public let reason: any Error
}

/// A file alone in a folder of its own, which only the person can read.
private struct PrivateFile {
    private let folder: URL
    private let file: URL

    var path: String { file.path() }

    init(_ text: String, ending: String) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "satchel-\(UUID().uuidString)")
        file = folder.appending(path: "text.\(ending)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try Data(text.utf8).write(to: file)
    }

    func text() throws -> String { try String(contentsOf: file, encoding: .utf8) }

    func remove() throws { try FileManager.default.removeItem(at: folder) }
}
