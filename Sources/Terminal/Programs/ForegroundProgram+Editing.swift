public import Foundation

extension ForegroundProgram {
    /// Has the person edit a text, and hands over what it has become.
    ///
    /// The text is in a file that only the person can read, and is removed once `take` has accepted it. `take` may ask for another
    /// text to be edited in its place, until the person leaves that as it is, or writes the same again. When the editor fails after it wrote, or what
    /// was typed isn't accepted in the end, the file stays, and the error says where.
    /// - Parameters:
    ///   - ending: The file's ending, by which editors choose how they show it: `md`.
    ///   - folder: Where the file is put, in a folder of its own; nil: among the system's temporary files.
    ///   - take: Returns nil when it has accepted the text.
    /// - Throws: `ProgramFailure`, `RefusedDraft`, or what the file system throws.
    public func edit(
        _ text: String, ending: String, in folder: URL? = nil, isolation: isolated (any Actor)? = #isolation,
        take: (String) async throws -> EditAgain?
    ) async throws {
        let file = try PrivateFile(text, ending: ending, in: folder)
        var (offered, last, reason): (String, String?, (any Error)?) = (text, nil, nil)
        while true {
            let edited = try await edited(file, text)
            // An unchanged text isn't kept; a text that was edited before and is now discarded is kept. An editor that
            // always produces the same text would otherwise loop without end.
            if let reason, edited == offered || edited == last {
                throw RefusedDraft(leftover: file.path, reason: reason)
            }
            let again: EditAgain?
            do { again = try await take(edited) } catch {
                if edited == text { try file.remove() }
                throw edited == text ? error : RefusedDraft(leftover: file.path, reason: error)
            }
            guard let again else { return try file.remove() }
            try file.write(again.text)
            (offered, last, reason) = (again.text, edited, again.reason)
        }
    }

    /// Runs the editor, and returns what it has made of the file.
    private func edited(_ file: PrivateFile, _ text: String) async throws -> String {
        do { try await run(on: file.path, .byName) } catch {
            var failure = error
            if file.holds(text) { try file.remove() } else { failure.leftover = file.path }
            throw failure
        }
        guard let edited = try file.text() else {
            throw ProgramFailure(command: command, reason: "left what is not UTF-8 text", leftover: file.path)
        }
        return edited
    }

    /// Lets the user edit a text, and returns the result; see `edit(_:ending:in:take:)`.
    public func edit(_ text: String, ending: String) async throws -> String {
        var result = text
        try await edit(text, ending: ending) {
            result = $0
            return nil
        }
        return result
    }

    /// Has the person read a text in the pager; one that is left before its end is no failure.
    ///
    /// - Throws: `ProgramFailure`, or what the file system throws.
    public func page(_ text: String) async throws {
        let file = try PrivateFile(text, ending: "txt", in: nil)
        defer { try? file.remove() }
        try await run(on: file.path, .asInput)
    }
}

/// A text that a person is asked to edit once more.
public struct EditAgain: Sendable {
    /// The text.
    public let text: String
    /// Why the text was not accepted.
    public let reason: any Error

    /// Asks for this text, for this reason.
    public init(_ text: String, because reason: any Error) { (self.text, self.reason) = (text, reason) }
}

/// A text of an editor that was not accepted; it isn't lost.
public struct RefusedDraft: Error {
    /// The file that has it.
    public let leftover: String
    /// Why it was not accepted.
    public let reason: any Error
}

/// A file alone in a folder of its own, which only the person can read.
private struct PrivateFile {
    private let folder: URL
    private let file: URL

    var path: String { file.path() }

    init(_ text: String, ending: String, in parent: URL?) throws {
        let parent = parent ?? FileManager.default.temporaryDirectory
        folder = parent.appending(path: "edit-\(UUID().uuidString)")
        file = folder.appending(path: "text.\(ending)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        do { try write(text) } catch {
            try? remove()
            throw error
        }
    }

    /// Writes the file again; an editor may have replaced it.
    func write(_ text: String) throws {
        let made = FileManager.default.createFile(
            atPath: file.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        if !made { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path]) }
    }

    /// What is in the file; nil if that isn't UTF-8.
    func text() throws -> String? { String(validating: try Data(contentsOf: file), as: UTF8.self) }

    /// Whether this is in the file, byte for byte.
    func holds(_ text: String) -> Bool { (try? Data(contentsOf: file)) == Data(text.utf8) }

    func remove() throws { try FileManager.default.removeItem(at: folder) }
}
