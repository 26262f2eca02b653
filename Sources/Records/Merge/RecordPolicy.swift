/// The rules of a record type that span several fields or records. All methods are pure.
public protocol RecordPolicy: Sendable {
    /// The fields that only the program sets. A deletion wins even if it had not seen their last edit.
    var bookkeeping: Set<String> { get }

    /// The fields whose change may have a consequence for another record.
    var triggers: Set<String> { get }

    /// Returns whether an edit wins over a deletion that had seen all of it.
    ///
    /// - Parameter base: The last live state from which both derive; nil if there is none.
    func isMadeAgain(_ edit: ThreeWayMerge.Side, after deletion: ThreeWayMerge.Side, base: ThreeWayMerge.Side?) -> Bool

    /// Returns whether another device may create a record with this id again, so that its deletion must be stored.
    func mayComeAgain(_ record: Record) -> Bool

    /// Returns the fields that get the time of an edit which revives this deleted record, in addition to those that it
    /// changes.
    func stampedWhenRevived(_ record: Record) -> [String]

    /// Returns the key of the record that is derived from a change of this one; nil if there is none.
    func successor(of key: RecordKey) -> RecordKey?

    /// Returns the consequence of a change of a live record. Creating and reviving a record have none.
    ///
    /// - Parameters:
    ///   - before: The record before the change.
    ///   - after: The record after the change.
    ///   - successor: The record stored under `successor(of:)`, also a tombstone.
    func consequence(from before: Record, to after: Record, successor: Record?) -> Consequence

    /// Checks an edited record as a whole.
    ///
    /// - Throws: `InvalidRecord`, with what to do.
    func check(_ record: Record, after patch: JSONObject) throws(InvalidRecord)
}

/// The consequence of a change for another record. New cases may be added.
public enum Consequence: Sendable, Equatable {
    /// No consequence.
    case nothing
    /// A record is created; an existing one is not changed.
    case make(DerivedRecord)
    /// A derived record is deleted at this time (nil: now); these fields get that time.
    case revert(RecordKey, at: HLC?, stamping: [String])
}

/// A record that is derived from another one: every device derives the same.
public struct DerivedRecord: Sendable, Equatable {
    /// The key under which it is stored.
    public let key: RecordKey
    /// The initial fields.
    public let fields: JSONObject
    /// The clocks: for each value, the time of the edit in the record from which it was copied.
    public let clock: FieldClocks
}

extension DerivedRecord {
    /// Returns the clocks after this record has revived a tombstone of it.
    ///
    /// A value that had not been edited before the deletion is copied again, which is no edit: it keeps the time of the
    /// value that is copied, so that it doesn't conflict with an edit on another device.
    ///
    /// - Parameters:
    ///   - clock: The clocks with the time of the revival for each field that differs.
    ///   - tombstone: The record before.
    ///   - stamped: The fields that keep the time of the revival.
    package func clock(reviving tombstone: Record, stamped: [String], _ clock: FieldClocks) -> FieldClocks {
        var clock = clock
        for name in fields.names where fields[name] != tombstone.fields[name] && !stamped.contains(name) {
            guard let former = tombstone.clock[name], former.isCarried,
                let copied = FieldClocks.later(former, self.clock[name])
            else { continue }
            clock.stamp([name], at: copied)
        }
        return clock
    }
}

/// A record whose fields contradict each other. The message contains the problem and what to do.
public struct InvalidRecord: Error, Equatable, Sendable, CustomStringConvertible {
    /// The message for the user.
    public let description: String

    /// Creates an error with this message.
    public init(_ description: String) { self.description = description }
}

/// The policy of a type without rules that span several fields.
public struct PlainPolicy: RecordPolicy {
    /// Creates the policy.
    public init() {}
}

extension RecordPolicy {
    public var bookkeeping: Set<String> { [] }
    public var triggers: Set<String> { [] }
    public func isMadeAgain(
        _ edit: ThreeWayMerge.Side, after deletion: ThreeWayMerge.Side, base: ThreeWayMerge.Side?
    ) -> Bool { false }
    public func mayComeAgain(_ record: Record) -> Bool { false }
    public func stampedWhenRevived(_ record: Record) -> [String] { [] }
    public func successor(of key: RecordKey) -> RecordKey? { nil }
    public func consequence(from before: Record, to after: Record, successor: Record?) -> Consequence { .nothing }
    public func check(_ record: Record, after patch: JSONObject) throws(InvalidRecord) {}
}
