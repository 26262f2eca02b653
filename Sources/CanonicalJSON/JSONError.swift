/// What is wrong with a text that should be I-JSON, and where.
public struct JSONError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Why it was refused, as a clause: "duplicate name: \"title\"".
    public let reason: String
    /// The byte, counted from 0, at which the faulty part starts; the number of bytes if the text ends too early.
    public let offset: Int
    /// Whether the text was refused only because it has more values than the reader accepts.
    public let isTooMany: Bool

    /// An error at a byte.
    public init(reason: String, offset: Int, isTooMany: Bool = false) {
        self.reason = reason
        self.offset = offset
        self.isTooMany = isTooMany
    }

    /// The reason and the byte.
    public var description: String { "\(reason), at byte \(offset)" }
}
