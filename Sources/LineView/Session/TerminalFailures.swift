public import ControllerKit
public import Terminal

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
