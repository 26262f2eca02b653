public import Foundation
internal import Subprocess

/// A program that uses the terminal until it ends: an editor or a pager.
public struct ForegroundProgram: Sendable, Equatable {
    /// The command line for the shell, possibly with arguments: `code --wait`.
    public let command: String

    /// Creates a program from its command line.
    public init(_ command: String) { self.command = command }

    /// Returns the person's editor: `VISUAL`, else `EDITOR`, else `vi`.
    public static func editor(environment: [String: String]) -> ForegroundProgram {
        let chosen = ["VISUAL", "EDITOR"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        return ForegroundProgram(chosen ?? "vi")
    }

    /// Returns the person's pager: `PAGER`, else `less`, which ends at once if the text fits on the screen; nil: the
    /// person wants none (`PAGER` is empty or `cat`).
    public static func pager(environment: [String: String]) -> ForegroundProgram? {
        switch environment["PAGER"] {
        case nil: ForegroundProgram("less -FRX")
        case "", "cat": nil
        case let command?: ForegroundProgram(command)
        }
    }

    /// The way in which the program receives its file.
    enum Feeding: String {
        case byName = "\"$1\""
        /// As its standard input. With a pipe, we would receive SIGPIPE if the pager is left before the end.
        case asInput = "<\"$1\""

        /// Shell code that runs first. By default `less` shows colours and ends at once if the text fits on the screen;
        /// the person's own `LESS` has priority.
        var preparation: String {
            switch self {
            case .byName: ""
            case .asInput: "export LESS=\"${LESS-FRX}\"; "
            }
        }
    }

    /// Runs the program with a file.
    ///
    /// - Throws: `ProgramFailure` if it can't be run or its status isn't 0.
    func run(on file: String, _ feeding: Feeding) async throws(ProgramFailure) {
        let (signals, modes) = (HeldSignals(), TerminalModes())
        defer {
            modes.restore()
            signals.restore()
        }
        let status: TerminationStatus
        // By a shell, because the person's command may have arguments. The file's name is `$1` and not part of the
        // code: characters in it that are special for the shell have no effect.
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

/// The failure of a program.
public struct ProgramFailure: Error, Equatable, CustomStringConvertible {
    /// The program's command line.
    public let command: String
    /// What happened, as a clause: `ended with status 1`.
    public let reason: String
    /// The file with an edited text that was not accepted; nil: there is none.
    public internal(set) var leftover: String?

    init(command: String, reason: String, leftover: String? = nil) {
        (self.command, self.reason, self.leftover) = (command, reason, leftover)
    }

    /// The message for the user.
    public var description: String {
        "“\(command)” \(reason)." + (leftover.map { " Your text is in \($0)." } ?? "")
    }
}

/// The keyboard's signals while another program is in the foreground: until restored, they don't end this process.
///
/// Their handler is empty instead of SIG_IGN: a started program inherits ignored signals, but not handlers (execve(2)).
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

/// The terminal's modes, to be restored after a program: one that is killed leaves its own.
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
    /// The status as a clause: `ended with status 1`.
    fileprivate var clause: String {
        switch self {
        case .exited(let code): "ended with status \(code)"
        case .signaled(let signal): "was ended by signal \(signal)"
        }
    }
}

extension ForegroundProgram {
    /// Opens a text in the program and passes the edited text to `accept`.
    ///
    /// The file is readable by the person only and is removed after `accept` has accepted the text. `accept` may return
    /// another text to be edited, until the person leaves it unchanged or writes the same text again. If the editor
    /// fails after it wrote, or the text isn't accepted in the end, the file remains and the error names it.
    ///
    /// - Parameters:
    ///   - ending: The extension of the file's name, by which editors choose a mode: `md`.
    ///   - folder: The folder in which a folder for the file is created; nil: the system's temporary folder.
    ///   - accept: Returns nil if it has accepted the text, otherwise the next text to edit.
    /// - Throws: `ProgramFailure`, `RefusedDraft`, or an error of the file system.
    public func edit(
        _ text: String, ending: String, in folder: URL? = nil, isolation: isolated (any Actor)? = #isolation,
        accept: (String) async throws -> EditAgain?
    ) async throws {
        let file = try PrivateFile(text, ending: ending, in: folder)
        var (offered, last, reason): (String, String?, (any Error)?) = (text, nil, nil)
        while true {
            let edited = try await edited(file, text)
            // Unchanged means that the person gives up. The same text twice ends it, too: an editor that always writes
            // the same text would otherwise loop without end. The file remains, since it may contain earlier edits.
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

    /// Runs the editor and returns the edited text.
    private func edited(_ file: PrivateFile, _ text: String) async throws -> String {
        do { try await run(on: file.path, .byName) } catch {
            var failure = error
            if file.holds(text) { try file.remove() } else { failure.leftover = file.path }
            throw failure
        }
        guard file.exists else {
            // The error is ignored: only an empty folder is left.
            try? file.remove()
            throw ProgramFailure(command: command, reason: "removed the file with the text, so nothing was changed")
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

    /// Shows a text in the pager. Leaving it before the end isn't a failure.
    ///
    /// - Throws: `ProgramFailure`, or an error of the file system.
    public func page(_ text: String) async throws {
        let file = try PrivateFile(text, ending: "txt", in: nil)
        // The error is ignored: only the person can read the file, and it is among the system's temporary files.
        defer { try? file.remove() }
        try await run(on: file.path, .asInput)
    }
}

/// A text that the person must edit again.
public struct EditAgain: Sendable {
    /// The text.
    public let text: String
    /// The reason why the previous text was not accepted.
    public let reason: any Error

    /// Creates the value.
    public init(_ text: String, because reason: any Error) { (self.text, self.reason) = (text, reason) }
}

/// An edited text that was not accepted. It remains in a file.
public struct RefusedDraft: Error {
    /// The file with the text.
    public let leftover: String
    /// The reason why it was not accepted.
    public let reason: any Error
}

/// A file in a folder of its own, which only the person can read.
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
            // The error of the removal is ignored: the error of the write is reported.
            try? remove()
            throw error
        }
    }

    /// Writes the file again. It sets the permissions again, too, since an editor may have replaced the file.
    func write(_ text: String) throws {
        let made = FileManager.default.createFile(
            atPath: file.path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        if !made { throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path]) }
    }

    var exists: Bool { FileManager.default.fileExists(atPath: file.path) }

    /// Returns the text of the file; nil: it isn't UTF-8.
    func text() throws -> String? { String(validating: try Data(contentsOf: file), as: UTF8.self) }

    /// Returns whether the file has exactly these bytes. A file that can't be read isn't equal, and so isn't removed.
    func holds(_ text: String) -> Bool { (try? Data(contentsOf: file)) == Data(text.utf8) }

    func remove() throws { try FileManager.default.removeItem(at: folder) }
}
