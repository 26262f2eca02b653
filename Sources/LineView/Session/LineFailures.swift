public import ControllerKit
public import Terminal

/// Writes failures to a terminal: those of commands and those of background work, such as a refresh of a screen. A
/// failure that both report is written once for each command.
@MainActor
final class FailureReports {
    private let terminal: any LineTerminal
    /// The messages since the last command began.
    private var written: Set<String> = []
    /// Writes the latest failure of background work. Each such task waits for the previous one, which keeps the order.
    private var pending: Task<Void, Never>?

    init(_ terminal: any LineTerminal) { self.terminal = terminal }

    /// Notes that a command begins: earlier messages may be written again.
    func begin() { written = [] }

    /// Writes a failure of background work.
    func report(_ error: any Error) {
        let message = Failure(error).message
        guard written.insert(message).inserted else { return }
        pending = Task { [terminal, pending] in
            await pending?.value
            // The error is ignored: if the output is closed, the next command reports it.
            try? await terminal.writeMessage(message)
        }
    }

    /// Writes the failure of a command, with its line number in a script.
    func report(_ failure: Failure, line: Int?) async {
        await pending?.value
        pending = nil
        let isNew = written.insert(failure.message).inserted
        // Background work may have reported the same failure, but without the number of the line.
        guard isNew || line != nil else { return }
        let place = line.map { "line \($0): " } ?? ""
        // If the output is closed, the status alone reports the failure.
        try? await terminal.writeMessage(place + failure.message)
    }
}

// The categories of a terminal's failures, which determine exit statuses.

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
    // Empty, because there is no output for a message.
    public var message: String { "" }
}

extension RefusedDraft: PersonFacing {
    public var category: Failure.Category { Failure(reason).category }
    public var message: String { Failure(reason).message + "\nYour text is in \(leftover)." }
    public var diagnostic: String? { Failure(reason).diagnostic }
}

/// A draft from an editor that was refused, with a message on how to continue.
struct KeptDraft: PersonFacing {
    let refused: RefusedDraft
    /// The command with the option that reads the text from a file: `edit … --text-file`; nil: there is none.
    let option: String?

    var category: Failure.Category { refused.category }
    var diagnostic: String? { refused.diagnostic }
    var message: String {
        refused.message + (option.map { "\n`\($0) FILE` continues with the text of that file." } ?? "")
    }
}
