public import ControllerKit
public import Terminal

/// Writes failures to a terminal: those of commands, and those of work that no command waits for, such as the update of a
/// screen. What both meet is written once for each command.
@MainActor
final class FailureReports {
    private let terminal: any LineTerminal
    /// The messages since the last command began.
    private var written: Set<String> = []
    /// Writes the last of the failures that no command waited for, after those before it.
    private var pending: Task<Void, Never>?

    init(_ terminal: any LineTerminal) { self.terminal = terminal }

    /// A command begins: what was written before may be written again.
    func begin() { written = [] }

    /// Writes a failure of work that no command waits for. If the output is closed, the next command reports that.
    func report(_ error: any Error) {
        let message = Failure(error).message
        guard written.insert(message).inserted else { return }
        pending = Task { [terminal, pending] in
            await pending?.value
            try? await terminal.writeMessage(message)
        }
    }

    /// Writes the failure of a command, with the line of the script that it is in.
    func report(_ failure: Failure, line: Int?) async {
        await pending?.value
        pending = nil
        let isNew = written.insert(failure.message).inserted
        guard isNew || line != nil else { return }
        let place = line.map { "line \($0): " } ?? ""
        // If the output is closed, the status alone reports the failure.
        try? await terminal.writeMessage(place + failure.message)
    }
}

// The failures of a terminal as the categories that exit statuses are made of.

extension TerminalError: PersonFacing {
    public var category: Failure.Category {
        switch kind {
        case .usage: .usage
        case .notFound: .notFound
        case .rejected: .rejected
        case .failed: .failed
        }
    }
}

extension OutputClosed: PersonFacing {
    public var category: Failure.Category { .failed }
    public var message: String { "" }
}

extension RefusedDraft: PersonFacing {
    public var category: Failure.Category { Failure(reason).category }
    public var message: String { Failure(reason).message + "\nYour text is in \(leftover)." }
    public var diagnostic: String? { Failure(reason).diagnostic }
}

/// A draft that was typed in an editor and not accepted, with the way to go on.
struct KeptDraft: PersonFacing {
    let refused: RefusedDraft
    /// The command with the option that reads the text from a file: `edit … --text-file`; nil: none does.
    let option: String?

    var category: Failure.Category { refused.category }
    var diagnostic: String? { refused.diagnostic }
    var message: String {
        refused.message + (option.map { "\n`\($0) FILE` continues with the text of that file." } ?? "")
    }
}
