/// How far a long work is, so that every view can show it. (Foundation has a `Progress` of its own.)
public struct WorkProgress: Codable, Equatable, Sendable {
    /// What is being done, as a heading: `Importing`.
    public var what: String
    /// How much of it is done, in records; it never falls while `what` stays.
    public var done: Int
    /// The total amount; nil: it isn't known yet.
    public var total: Int?

    /// A work that is so far.
    public init(_ what: String, _ done: Int = 0, of total: Int? = nil) {
        (self.what, self.done, self.total) = (what, done, total)
    }
}
