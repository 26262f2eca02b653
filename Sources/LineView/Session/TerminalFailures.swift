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

extension RefusedText: PersonFacing {
    public var category: Failure.Category { Failure(reason).category }
    public var message: String { Failure(reason).message + "\nWhat was typed is in \(leftover)." }
    public var diagnostic: String? { Failure(reason).diagnostic }
}
