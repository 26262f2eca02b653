/// How a command ended, as the process's exit status: a contract that scripts rely on.
public enum CommandStatus: Int32, Sendable, CaseIterable {
    /// Done.
    case ok = 0
    /// Something else went wrong; the message says what.
    case failed = 1
    /// The command or an argument is wrong; nothing was changed.
    case usage = 2
    /// What was named doesn't exist, or the name is ambiguous.
    case notFound = 3
    /// Not signed in, or the user name or password is wrong.
    case signedOut = 4
    /// The server can't be reached; it may be tried again later.
    case unreachable = 5
    /// Refused, or the same thing was changed elsewhere meanwhile.
    case rejected = 6
    /// The home or its stored data can't be used, or a check of `doctor` found a fault.
    case damaged = 7

    /// What it means, for help and manual pages.
    public var meaning: String {
        switch self {
        case .ok: "done"
        case .failed: "something else went wrong; the message says what"
        case .usage: "the command or an argument is wrong; nothing was changed"
        case .notFound: "what was named doesn't exist, or the name is ambiguous"
        case .signedOut: "not signed in, or the user name or password is wrong"
        case .unreachable: "the server can't be reached; try again later"
        case .rejected: "refused; for `sync`: some records were refused, see `status`"
        case .damaged: "the home or its data can't be used, or `doctor` found a fault"
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
