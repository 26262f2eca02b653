public import ControllerKit

/// How a command ended, as the process's exit status: a contract that scripts rely on.
public enum CommandStatus: Int32, Sendable, CaseIterable {
    /// Done.
    case ok = 0
    /// Something else went wrong; the message says what.
    case failed = 1
    /// The command is not in the grammar; nothing was tried.
    case usage = 2
    /// What was named doesn't exist, or the name fits several.
    case notFound = 3
    /// Nobody is signed in, or the name and password don't fit.
    case signedOut = 4
    /// The server can't be reached; it may be tried again later.
    case unreachable = 5
    /// It was refused, or somebody else changed the same thing.
    case rejected = 6
    /// The home or its stored data aren't as they must be: they can't be used, or a check of `doctor` found a fault.
    case damaged = 7

    /// What it means, as people are told.
    var meaning: String {
        switch self {
        case .ok: "done"
        case .failed: "something else went wrong; the message says what"
        case .usage: "the command isn't in the grammar; nothing was tried"
        case .notFound: "what was named doesn't exist, or the name fits several"
        case .signedOut: "nobody is signed in, or name and password don't fit"
        case .unreachable: "the server can't be reached; try again later"
        case .rejected: "it was refused; of `sync`: some records were, see `status`"
        case .damaged: "the home or its data aren't as they must be: not usable, or `doctor` found a fault"
        }
    }

    /// The status of a failure.
    public init(_ category: Failure.Category) {
        self =
            switch category {
            case .usage: .usage
            case .notFound: .notFound
            case .signedOut: .signedOut
            case .unreachable: .unreachable
            case .conflict, .rejected: .rejected
            case .damaged: .damaged
            case .failed: .failed
            }
    }
}
