import Foundation
import Subprocess

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
