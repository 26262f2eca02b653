/// A failure of a terminal, a file or a program, with a message for a person.
public struct TerminalError: Error, Equatable {
    /// The kind of failure, which determines for example the exit status.
    public let kind: Kind
    /// What happened, to what, and what to do next.
    public let message: String

    /// Creates a failure.
    public init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

    /// The kinds of failure that callers distinguish. New cases may be added.
    public enum Kind: Sendable {
        /// A line or an argument can't be used. The next line may be.
        case usage
        /// The named file doesn't exist or can't be read.
        case notFound
        /// The file was read and refused.
        case rejected
        /// Anything else.
        case failed
    }
}

/// The failure of a write to a pipe whose reader has closed it, as `| head` does. It has no message: as with other
/// tools, only the exit status reports it.
public struct OutputClosed: Error {
    /// Creates the failure.
    public init() {}
}
