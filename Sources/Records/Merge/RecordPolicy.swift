/// The rules of a record type that span several fields or records. All are pure.
public protocol RecordPolicy: Sendable {
    /// Fields that only the program sets, in which a deletion need not have seen the last edit.
    var bookkeeping: Set<String> { get }

    /// Fields whose change may have a consequence for another record.
    var triggers: Set<String> { get }

    /// Whether an edit is to win over a deletion that had seen all of it.
    func isMadeAgain(_ edit: ThreeWayMerge.Side, after deletion: ThreeWayMerge.Side) -> Bool

    /// Whether another device may make a record of this id again, so that its deletion must be remembered.
    func mayComeAgain(_ record: Record) -> Bool

    /// The fields that get the moment of an edit which revives this deleted record, besides those that it changes.
    func stampedWhenRevived(_ record: Record) -> [String]

    /// The key of the record that follows from a change of this one; nil: none does.
    func successor(of key: RecordKey) -> RecordKey?

    /// What follows from a change.
    ///
    /// - Parameters:
    ///   - before: the record before the change; nil: it wasn't there.
    ///   - after: the record after it.
    ///   - successor: what is stored under `successor(of:)`, tombstones included.
    func consequence(from before: Record?, to after: Record, successor: Record?) -> Consequence

    /// Checks a record that a person has edited, as a whole.
    ///
    /// - Throws: `InvalidRecord`, with what to do.
    func check(_ record: Record, after patch: JSONObject) throws(InvalidRecord)
}

/// What follows from a change of a record for another one.
public enum Consequence: Sendable, Equatable {
    /// Nothing.
    case nothing
    /// A record is made; one that is there is left as it is.
    case make(DerivedRecord)
    /// A record that was made so is taken back, at this moment (nil: now); these fields get the moment.
    case revert(RecordKey, at: HLC?, stamping: [String])
}

/// A record that follows from another one: every device makes the same.
public struct DerivedRecord: Sendable, Equatable {
    /// Where it is stored.
    public let key: RecordKey
    /// What it begins with.
    public let fields: JSONObject
    /// For each value, when it was typed into the record that it comes from.
    public let clock: FieldClocks
}

/// A record whose fields don't fit together. The message says what is wrong and what to do.
public struct InvalidRecord: Error, Equatable, Sendable, CustomStringConvertible {
    /// For the person.
    public let description: String

    /// An error with this message.
    public init(_ description: String) { self.description = description }
}

/// A type without rules that span several fields.
public struct PlainPolicy: RecordPolicy {
    /// No rules.
    public init() {}
}

extension RecordPolicy {
    public var bookkeeping: Set<String> { [] }
    public var triggers: Set<String> { [] }
    public func isMadeAgain(_ edit: ThreeWayMerge.Side, after deletion: ThreeWayMerge.Side) -> Bool { false }
    public func mayComeAgain(_ record: Record) -> Bool { false }
    public func stampedWhenRevived(_ record: Record) -> [String] { [] }
    public func successor(of key: RecordKey) -> RecordKey? { nil }
    public func consequence(from before: Record?, to after: Record, successor: Record?) -> Consequence { .nothing }
    public func check(_ record: Record, after patch: JSONObject) throws(InvalidRecord) {}
}
