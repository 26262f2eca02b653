/// An error with a message for the user. Each view shows the message and maps the category to its medium.
public protocol PersonFacing: Error {
    /// The kind of failure. Views map it to an exit status, a colour or an HTTP status.
    var category: Failure.Category { get }
    /// What happened, to what, and what to do next.
    var message: String { get }
    /// Details for a log only; nil: there are none.
    var diagnostic: String? { get }
}

extension PersonFacing {
    public var diagnostic: String? { nil }
}

/// A failure as a value, with the message for the user.
public struct Failure: PersonFacing, Equatable {
    /// The kind of failure.
    public let category: Category
    /// The message for the user.
    public let message: String
    /// Details for a log only; nil: there are none.
    public let diagnostic: String?

    /// Creates a failure.
    public init(_ category: Category, _ message: String, diagnostic: String? = nil) {
        self.category = category
        self.message = message
        self.diagnostic = diagnostic
    }

    /// Creates a failure from any error: with its message if it is `PersonFacing`, else as an unexpected error.
    public init(_ error: any Error) {
        switch error {
        case let error as any PersonFacing:
            self.init(error.category, error.message, diagnostic: error.diagnostic)
        case is CancellationError:
            self.init(.failed, "Interrupted.")
        default:
            self.init(.failed, "Unexpected error: \(error)", diagnostic: String(reflecting: error))
        }
    }

    /// The kinds of failure that views distinguish. New cases may be added.
    public enum Category: String, Sendable, Codable, CaseIterable {
        /// The command or an argument is wrong; nothing was changed.
        case usage
        /// The named object doesn't exist, or the name is ambiguous.
        case notFound = "not-found"
        /// Not signed in, or the user name or password is wrong.
        case signedOut = "signed-out"
        /// The server can't be reached. A retry may succeed.
        case unreachable
        /// The same object was changed elsewhere meanwhile.
        case conflict
        /// The request was understood and refused.
        case rejected
        /// The home or its data can't be used.
        case damaged
        /// Anything else.
        case failed
    }
}

/// The result of a command as the exit status of the process. Scripts depend on these numbers. New cases may be added.
public enum CommandStatus: Int32, Sendable, CaseIterable {
    /// Success.
    case ok = 0
    /// Any other failure, which the message describes. With `--exit-status`, also that nothing matches.
    case failed = 1
    /// The command or an argument is wrong; nothing was changed.
    case usage = 2
    /// The named object doesn't exist, or the name is ambiguous.
    case notFound = 3
    /// Not signed in, or the user name or password is wrong.
    case signedOut = 4
    /// The server can't be reached. A retry may succeed.
    case unreachable = 5
    /// Refused, or the same object was changed elsewhere meanwhile.
    case rejected = 6
    /// The home or its stored data can't be used, or a check of `doctor` found a fault.
    case damaged = 7

    /// The meaning, for help and manual pages.
    public var meaning: String {
        switch self {
        case .ok: "done"
        case .failed: "any other error, named in the message; with `--exit-status`, also if nothing matches"
        case .usage: "the command or an argument is wrong; nothing was changed"
        case .notFound: "what was named doesn't exist, or the name is ambiguous"
        case .signedOut: "not signed in, or the user name or password is wrong"
        case .unreachable: "the server can't be reached; try again later"
        case .rejected: "refused; for `sync`: some records were refused, see `status`"
        case .damaged: "the home or its data can't be used, or `doctor` found a fault"
        }
    }

    /// Creates the status of a failure.
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
