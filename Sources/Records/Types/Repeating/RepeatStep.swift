/// What follows from a change of a task for the one that comes after it; decided from values alone.
public enum RepeatStep: Sendable, Equatable {
    /// Nothing.
    case nothing
    /// The task was done, and comes again.
    case make(NextInstance)
    /// It is to be done again, and nobody has touched the one that its completion made.
    case takeBack(RecordKey)

    /// - Parameters:
    ///   - before: the task before the change; nil: it wasn't there.
    ///   - after: the task after it.
    ///   - next: what is held under `NextInstance.key(after:)`, tombstones included; nil: nothing.
    public init(from before: Record?, to after: Record, next: Record?) {
        self = .nothing
        guard let before, !before.deleted, after.key.collection == TaskRecord.type.collection else { return }
        let (old, new) = (TaskRecord(fields: before.fields).status, TaskRecord(fields: after.fields).status)
        if old.isOpen, new == .completed, next?.deleted != false {
            if let made = NextInstance(after: after) { self = .make(made) }
        } else if old == .completed, new.isOpen, let next, !next.deleted, Self.isUntouched(next, after: before) {
            self = .takeBack(next.key)
        }
    }

    /// Whether an instance is as the completion has made it.
    private static func isUntouched(_ next: Record, after done: Record) -> Bool {
        next.clock.moments.values.allSatisfy(\.isCarried) || next.fields == NextInstance(after: done)?.fields
    }
}
