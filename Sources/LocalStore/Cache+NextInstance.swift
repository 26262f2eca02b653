public import Records
public import struct Records.Record

extension Cache {
    /// Makes what comes after a task that was done, or takes it back where the task is to be done again: see `RepeatStep`.
    ///
    /// - Parameters:
    ///   - before: the task before the change; nil: it wasn't there.
    ///   - after: the task after it.
    public func followUp(from before: Record?, to after: Record) throws {
        let next = try cached(NextInstance.key(after: after.key))?.record
        switch RepeatStep(from: before, to: after, next: next) {
        case .nothing: break
        case .make(let next): try make(next)
        case .takeBack(let key): try delete(key)
        }
    }

    /// Makes the task that comes after one that was done, with the clocks that follow from that one; with its entries in the
    /// outbox and in the journal. One that is there stays as it is; a deleted one is revived, by an edit.
    @discardableResult
    public func make(_ next: NextInstance, space: Int64 = Cache.personal) throws -> Record {
        var made = Record(key: next.key)
        try changeNoting(next.key, space: space) { before in
            let after = try decide(next, over: before)
            made = after.record
            return after
        }
        return made
    }

    private func decide(_ next: NextInstance, over before: CachedRecord?) throws -> CachedRecord {
        guard let before else {
            let at = try tick()
            let record = Record(key: next.key, modifiedBy: at.device, fields: next.fields, clock: next.clock)
            return CachedRecord(record: record, pending: .init(at: at))
        }
        guard before.record.deleted else { return before }
        return before.edited(next.fields.patch(from: before.record.fields), at: try tick(after: before.record))
    }
}
