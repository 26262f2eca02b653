/// Why a terminal, a file or a program can't be used, in words for a person.
public struct TerminalError: Error, Equatable {
    /// What kind of failure it is: an exit status, for instance.
    public let kind: Kind
    /// What happened, to what, and what to do next.
    public let message: String

    /// A failure of this kind.
    public init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }

    /// The kinds of failure that callers distinguish. New kinds may be added.
    public enum Kind: Sendable {
        /// What was typed or named can't be used; the next line may be.
        case usage
        /// The file that was named doesn't exist or can't be read.
        case notFound
        /// The file was read and refused.
        case rejected
        /// Anything else.
        case failed
    }
}

/// The reader of the output has closed it, as `| head` does. It has no message: the exit status alone reports it, as in
/// other tools, since the program that closed the pipe knows.
public struct OutputClosed: Error {
    /// The failure of a write to a closed pipe.
    public init() {}
}
