public import Records
public import struct Records.Record

/// A command of the person on this device, as the journal keeps it: the last thing that it, its undoing or its redoing did.
public struct JournalEntry: Sendable, Equatable {
    /// Its place: a later command has a higher number.
    public let number: Int64
    /// What was said: `done`, `import`.
    public let command: String
    /// When, in milliseconds since 1970.
    public let at: UInt64
    /// Whether it has been taken back, and can be made again.
    public let isUndone: Bool
    /// How many records it changed.
    public let records: Int
    /// Who gave it, see `CommandActor`; nil: the person at this device.
    public let actor: String?
}

/// What a command changed in one record.
public struct JournalChange: Sendable, Equatable {
    /// Which record it is.
    public let key: RecordKey
    /// The number of its space in the cache.
    public let space: Int64
    /// Whether the record was there before the command.
    public let wasLive: Bool
    /// Whether the record was there after it.
    public let isLive: Bool
    /// The changed fields as they were before; one that is missing here was absent.
    public let before: JSONObject
    /// The changed fields as the command made them; one that is missing here was removed.
    public let after: JSONObject

    init(key: RecordKey, space: Int64, wasLive: Bool, isLive: Bool, before: JSONObject, after: JSONObject) {
        (self.key, self.space, self.wasLive, self.isLive) = (key, space, wasLive, isLive)
        (self.before, self.after) = (before, after)
    }

    /// The change from one state of a record to another (nil: it isn't there); nil if there is none to see.
    public init?(_ key: RecordKey, space: Int64 = Cache.personal, from old: Record?, to new: Record?) {
        let old = old.flatMap { $0.deleted ? nil : $0.fields }
        let new = new.flatMap { $0.deleted ? nil : $0.fields }
        self.init(
            key: key, space: space, wasLive: old != nil, isLive: new != nil, before: old ?? [:], after: new ?? [:])
        guard let changed = tidied() else { return nil }
        self = changed
    }

    /// The names of the changed fields, sorted.
    public var names: [String] { before.applying(after).sortedNames }

    /// This change and one that the same command made on top of it, as one; nil if nothing is left of both.
    func followed(by next: JournalChange) -> JournalChange? {
        let (first, second) = (Set(names), Set(next.names))
        var (before, after) = (JSONObject(), JSONObject())
        for name in first.union(second) {
            before[name] = first.contains(name) ? self.before[name] : next.before[name]
            after[name] = second.contains(name) ? next.after[name] : self.after[name]
        }
        return JournalChange(
            key: key, space: space, wasLive: wasLive, isLive: next.isLive, before: before, after: after
        ).tidied()
    }

    /// Without the fields of an edit that are the same on both sides; nil if nothing is left.
    private func tidied() -> JournalChange? {
        guard wasLive || isLive else { return nil }
        guard wasLive && isLive else { return self }
        var (before, after) = (before, after)
        for name in names where before[name] == after[name] { (before[name], after[name]) = (nil, nil) }
        if before.isEmpty, after.isEmpty { return nil }
        return JournalChange(
            key: key, space: space, wasLive: wasLive, isLive: isLive, before: before, after: after)
    }
}

/// The command that a transaction carries out; its first edit opens an entry of the journal.
final class Command {
    let name: String
    let actor: String?
    var entry: Int64?

    init(_ name: String = "edit", actor: String?) { (self.name, self.actor) = (name, actor) }
}

/// Who gives the commands of a task, so that the journal names it: an assistant, for instance.
public enum CommandActor {
    /// The actor of the current task; nil: the person at this device.
    @TaskLocal static var current: String?

    /// Runs `body`; the journal names `actor` with each of its commands, and with those of its child tasks.
    public static func named<Result>(
        _ actor: String, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Result
    ) async rethrows -> Result {
        try await $current.withValue(actor, operation: body, isolation: isolation)
    }
}
