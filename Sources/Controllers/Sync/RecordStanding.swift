internal import ControllerKit
internal import LocalStore
internal import Records

/// The sync state of a record.
public struct RecordStanding: Codable, Equatable, Sendable {
    /// Its id, whole.
    public var id: String
    /// What it is about.
    public var title: String
    /// The version of the server's that this home has seen; nil: the server doesn't know the record yet.
    public var version: Int64?
    /// Whether it has edits that the server hasn't acknowledged.
    public var isUnsent: Bool
    /// Whether some of them were sent, and the answer is awaited.
    public var isInFlight: Bool
    /// When the last edit was made: RFC 3339 in UTC.
    public var editedAt: String?
    /// Why they are unsent; nil when there are none.
    public var why: UnsentReason?
    /// What the server said when it refused the record.
    public var rejection: String?
    /// How many of its conflicts are open.
    public var conflicts: Int
}

extension RecordStanding {
    /// - Parameter why: why anything is unsent here.
    init(_ cached: CachedRecord, conflicts: Int, why: UnsentReason) {
        let pending = cached.pending
        self.init(
            id: cached.record.key.id, title: cached.record[.title] ?? "", version: cached.seen?.version,
            isUnsent: pending != nil, isInFlight: pending?.sent != nil,
            editedAt: cached.record.clock.latest.map {
                Timestamp(seconds: Int64($0.milliseconds / 1_000)).description
            }, why: pending.map { $0.rejection == nil ? why : .rejected }, rejection: pending?.rejection?.reason,
            conflicts: conflicts)
    }
}
