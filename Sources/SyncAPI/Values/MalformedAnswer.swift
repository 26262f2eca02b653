/// An answer that violates the protocol; nothing of it was applied.
public struct MalformedAnswer: Error, Sendable, Equatable {
    /// What is wrong with it, for the diagnostic.
    public let reason: String

    /// Says what is wrong with an answer.
    public init(_ reason: String) { self.reason = reason }
}
