package import Records
package import struct Records.Record

// The edits of this device and their clocks.
extension Cache {
    /// Returns the clock of an edit made now. It is later than all edits of this device and than all clocks of
    /// `record`.
    package func tick(after record: Record? = nil) throws -> HLC {
        let last = try command.lastClock ?? meta(.clock)
        let seen = [last, record?.clock.latest].compactMap(\.self).max()
        let now = HLC.now(wall: wall(), after: seen, device: try device())
        try setMeta(.clock, now)
        command.lastClock = now
        return now
    }

    /// Returns the clock of an edit whose clock was too far ahead: the server's time, but later than the clock that the
    /// edit replaces and than all clocks that were returned before. Merges treat equal clocks as the same edit, so no
    /// two edits may share one.
    ///
    /// - Parameter milliseconds: The server's clock, in milliseconds since 1970.
    package func lowered(to milliseconds: UInt64, after replaced: HLC?) throws -> HLC {
        let last = [try meta(.loweredClock), replaced].compactMap(\.self).max()
        let lowered = HLC.now(wall: milliseconds, after: last, device: try device())
        try setMeta(.loweredClock, lowered)
        return lowered
    }

    /// Creates a record or edits an existing one: replaces each named field; `null` removes a field. A deleted record
    /// is revived. The edit is added to the outbox, so that it is sent, and to the journal, for `undo`.
    ///
    /// - Parameter moments: The clocks of fields whose values are the result of a merge; all others get the present
    ///   time.
    @discardableResult
    package func edit(
        _ key: RecordKey, _ patch: JSONObject, moments: [String: HLC] = [:]
    ) throws -> Record { try edit(entry(key), patch, moments: moments) }

    /// Edits a record that this transaction has read and not changed since, as the method above does.
    @discardableResult
    package func edit(
        _ entry: CacheEntry, _ patch: JSONObject, moments: [String: HLC] = [:]
    ) throws -> Record {
        let key = entry.key
        var edited = Record(key: key)
        try journal.change(entry) { before in
            let at = try tick(after: before?.record)
            var next = before?.edited(patch, at: at, types: types) ?? .created(key, fields: patch, at: at)
            // An edit without effect must not change clocks.
            if next != before { for (name, moment) in moments { next.record.clock.moments[name] = moment } }
            edited = next.record
            return next
        }
        return edited
    }

    /// Deletes a record. One that no server can know is removed without a trace, unless it may be created again.
    package func delete(_ key: RecordKey) throws {
        try journal.change(key) { before in
            try before?.deleted(at: tick(after: before?.record), types: types)
        }
    }

    /// Returns this home's device id, which the first call creates. It is the same in every clock and session of the
    /// home.
    ///
    /// - Parameter new: The id if none was created yet, `[A-Za-z0-9_-]{1,64}`; nil: a UUID.
    package func device(new: String? = nil) throws -> String {
        if let id = try meta(.device) { return id }
        let id = new ?? UUIDText.random()
        try setMeta(.device, id)
        return id
    }
}

// MARK: - What follows from an edit

extension Cache {
    /// Performs what the policy of a record's type derives from a change, for example creates the next instance of a
    /// repeating task. A record that was created or revived has no consequence.
    ///
    /// - Parameters:
    ///   - before: The record before the change; nil: it didn't exist.
    ///   - after: The record after the change.
    package func followUp(from before: Record?, to after: Record) throws {
        guard let before, !before.deleted else { return }
        let policy = types[after.key.collection].policy
        let successor = try policy.successor(of: after.key).flatMap { try cached($0)?.record }
        switch policy.consequence(from: before, to: after, successor: successor) {
        case .nothing: break
        case .make(let derived): try make(derived)
        case .revert(let key, let moment, let names): try revert(key, at: moment, stamping: names)
        }
    }

    /// Deletes a record that was derived from a change of another one. A later change, also on another device, can
    /// create it again.
    ///
    /// - Parameters:
    ///   - moment: The clock of the edit that reversed that change; nil: now.
    ///   - names: The fields that get this clock; nil: those that the policy names.
    package func revert(
        _ key: RecordKey, at moment: HLC? = nil, stamping names: [String]? = nil
    ) throws {
        try journal.change(key) { before in
            guard let live = before, !live.record.deleted else { return before }
            // No server can have sent it to other devices, so no tombstone is needed.
            if live.seen == nil, live.pending?.sent == nil { return nil }
            let now = try tick(after: live.record)
            var reverted = live.deleted(at: now, types: types)
            let names = names ?? types[key.collection].policy.stampedWhenRevived(live.record)
            reverted?.record.clock.stamp(names, at: moment ?? now)
            return reverted
        }
    }

    /// Creates a record that follows from another one, with clocks that follow from that one's, and adds it to the
    /// outbox and the journal. An existing record is left unchanged; a deleted one is revived by an edit.
    @discardableResult
    package func make(_ derived: DerivedRecord) throws -> Record {
        var made = Record(key: derived.key)
        try journal.change(derived.key) { before in
            let after = try decide(derived, over: before)
            made = after.record
            return after
        }
        return made
    }

    private func decide(_ derived: DerivedRecord, over before: CachedRecord?) throws -> CachedRecord {
        guard let before else {
            // Every device derives the same fields and clocks, so that merging two copies makes no conflict.
            let at = try tick()
            let record = Record(
                key: derived.key, modifiedBy: at.device, fields: derived.fields, clock: derived.clock)
            return CachedRecord(record: record, pending: .init(at: at))
        }
        guard before.record.deleted else { return before }
        var revived = before.edited(
            derived.fields.patch(from: before.record.fields), at: try tick(after: before.record), types: types)
        let policy = types[derived.key.collection].policy
        revived.record.clock = derived.clock(
            reviving: before.record, stamped: policy.stampedWhenRevived(revived.record), revived.record.clock)
        return revived
    }
}
