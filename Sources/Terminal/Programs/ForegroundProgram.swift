public import Foundation
internal import Subprocess

/// A program that takes over the terminal until it ends: an editor, a pager.
public struct ForegroundProgram: Sendable, Equatable {
    /// The command line, for the shell: `code --wait` has arguments.
    public let command: String

    /// A program by its command line.
    public init(_ command: String) { self.command = command }

    /// The person's editor: `VISUAL`, else `EDITOR`, else `vi`.
    public static func editor(environment: [String: String]) -> ForegroundProgram {
        let chosen = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        return ForegroundProgram(chosen ?? "vi")
    }

    /// The person's pager: `PAGER`, else `less` that ends by itself when all fits on the screen; nil when the person wants
    /// none (`PAGER` is empty or `cat`).
    public static func pager(environment: [String: String]) -> ForegroundProgram? {
        switch environment["PAGER"] {
        case nil: ForegroundProgram("less -FRX")
        case "", "cat": nil
        case let command?: ForegroundProgram(command)
        }
    }

    /// How the program gets its file.
    enum Feeding: String {
        case byName = "\"$1\""
        /// As its standard input. A pipe would do as well, but for the signal when it is left before its end.
        case asInput = "<\"$1\""

        /// What the shell does first. `less` is to show colours and to end by itself when all fits on the screen, unless the
        /// person says otherwise.
        var preparation: String {
            switch self {
            case .byName: ""
            case .asInput: "export LESS=\"${LESS-FRX}\"; "
            }
        }
    }

    /// Runs the program on a file.
    ///
    /// - Throws: `ProgramFailure` when it can't be run or ends with another status than 0.
    func run(on file: String, _ feeding: Feeding) async throws(ProgramFailure) {
        let (signals, modes) = (HeldSignals(), TerminalModes())
        defer {
            modes.restore()
            signals.restore()
        }
        let status: TerminationStatus
        do {
            status = try await Subprocess.run(
                .name("sh"),
                arguments: ["-c", "\(feeding.preparation)\(command) \(feeding.rawValue)", command, file],
                input: .currentStandardInput, output: .currentStandardOutput, error: .currentStandardError
            ).terminationStatus
        } catch {
            throw ProgramFailure(command: command, reason: "can't be run: \(error)")
        }
        guard status.isSuccess else { throw ProgramFailure(command: command, reason: status.clause) }
    }
}

/// A program that didn't do what it was run for.
public struct ProgramFailure: Error, Equatable, CustomStringConvertible {
    /// The program's command line.
    public let command: String
    /// What happened, as a clause.
    public let reason: String
    /// The file with an edited text that was not accepted; nil when there is none.
    public internal(set) var leftover: String?

    init(command: String, reason: String, leftover: String? = nil) {
        (self.command, self.reason, self.leftover) = (command, reason, leftover)
    }

    /// The message for the user.
    public var description: String {
        "“\(command)” \(reason)." + (leftover.map { " Your text is in \($0)." } ?? "")
    }
}

/// The keyboard's signals, which belong to the program in the foreground: until they are restored they don't end us.
///
/// They are handled by doing nothing, not ignored: what is ignored stays ignored in the program that is started
/// (execve(2)), what is handled doesn't.
private struct HeldSignals {
    private let before: [(signal: Int32, action: sigaction)]

    init() {
        before = [SIGINT, SIGQUIT].map { signal in
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { _ in }
            action.sa_flags = SA_RESTART
            var previous = sigaction()
            sigaction(signal, &action, &previous)
            return (signal, previous)
        }
    }

    func restore() {
        for (signal, action) in before {
            var action = action
            sigaction(signal, &action, nil)
        }
    }
}

/// How the terminal reads keys: a program that is killed leaves it as it liked it.
private struct TerminalModes {
    private let before: termios?

    init() {
        var modes = termios()
        before = tcgetattr(STDIN_FILENO, &modes) == 0 ? modes : nil
    }

    func restore() {
        guard var before else { return }
        tcsetattr(STDIN_FILENO, TCSADRAIN, &before)
    }
}

extension TerminationStatus {
    /// What happened, as a clause for the person: `ended with status 1`.
    fileprivate var clause: String {
        switch self {
        case .exited(let code): "ended with status \(code)"
        case .signaled(let signal): "was ended by signal \(signal)"
        }
    }
}

extension ForegroundProgram {
    /// Has the person edit a text, and hands over what it has become.
    ///
    /// The text is in a file that only the person can read, and is removed once `take` has accepted it. `take` may ask for another
    /// text to be edited in its place, until the person leaves that as it is, or writes the same again. When the editor fails after it wrote, or what
    /// was typed isn't accepted in the end, the file stays, and the error says where.
    /// - Parameters:
    ///   - ending: The file's ending, by which editors choose how they show it: `md`.
    ///   - folder: Where the file is put, in a folder of its own; nil: among the system's temporary files.
    ///   - accept: Returns nil when it has accepted the text.
    /// - Throws: `ProgramFailure`, `RefusedDraft`, or what the file system throws.
    public func edit(
        _ text: String, ending: String, in folder: URL? = nil, isolation: isolated (any Actor)? = #isolation,
        accept: (String) async throws -> EditAgain?
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
            do { again = try await accept(edited) } catch {
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

    /// Lets the user edit a text, and returns the result; see `edit(_:ending:in:accept:)`.
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
