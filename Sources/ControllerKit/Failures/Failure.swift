/// An error that is shown to the user: each view maps the category to its medium and shows the message.
public protocol PersonFacing: Error {
    /// What kind of failure it is: an exit code, a colour, an HTTP status.
    var category: Failure.Category { get }
    /// What happened, to what, and what to do next, in plain words.
    var message: String { get }
    /// What only a log should hold; nil when there is no more to know.
    var diagnostic: String? { get }
}

extension PersonFacing {
    public var diagnostic: String? { nil }
}

/// A failure as a value, with the message for the user.
public struct Failure: PersonFacing, Equatable {
    /// What kind of failure it is.
    public let category: Category
    /// The message for the user.
    public let message: String
    /// What only a log should hold.
    public let diagnostic: String?

    /// A failure of this category, with this message.
    public init(_ category: Category, _ message: String, diagnostic: String? = nil) {
        self.category = category
        self.message = message
        self.diagnostic = diagnostic
    }

    /// The failure for any error: with its own message if it is `PersonFacing`, else that of an unexpected error.
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
        /// What was named doesn't exist, or the name is ambiguous.
        case notFound = "not-found"
        /// Not signed in, or the user name or password is wrong.
        case signedOut = "signed-out"
        /// The server can't be reached; it may be tried again later.
        case unreachable
        /// The same thing was changed elsewhere meanwhile.
        case conflict
        /// What was asked was understood and refused.
        case rejected
        /// The home or its data can't be used.
        case damaged
        /// Anything else.
        case failed
    }
}

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
