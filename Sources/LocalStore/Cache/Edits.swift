internal import Foundation
package import Records
package import struct Records.Record

// What the person does on this device, and the moments of it.
extension Cache {
    /// The moment of an edit made now, after everything that this device has made or met in `record`.
    package func tick(after record: Record? = nil) throws -> HLC {
        let last = try meta(.clock)
        let seen = [last, record?.clock.latest].compactMap(\.self).max()
        let now = HLC.now(wall: wall(), after: seen, device: try device())
        try setMeta(.clock, now)
        return now
    }

    /// The moment for an edit that was dated too far ahead: at the server's time, after what it replaces, and after all
    /// such moments before. Merges treat equal moments as the same edit, so no two edits may share one.
    ///
    /// - Parameter milliseconds: the server's clock, since 1970.
    package func lowered(to milliseconds: UInt64, after replaced: HLC?) throws -> HLC {
        let last = [try meta(.loweredClock), replaced].compactMap(\.self).max()
        let lowered = HLC.now(wall: milliseconds, after: last, device: try device())
        try setMeta(.loweredClock, lowered)
        return lowered
    }

    /// Makes a record, or edits the one of this key: each named field is replaced, `null` removes it. A deleted one is
    /// revived. With its entry in the outbox, which is what makes it be sent, and in the journal, for `undo`.
    ///
    /// - Parameter moments: of fields whose new value a merge has made, when that is; else it is now.
    @discardableResult
    package func edit(
        _ key: RecordKey, _ patch: JSONObject, moments: [String: HLC] = [:]
    ) throws -> Record {
        var edited = Record(key: key)
        try changeNoting(key) { before in
            let at = try tick(after: before?.record)
            var next = before?.edited(patch, at: at, types: types) ?? .created(key, fields: patch, at: at)
            if next != before { for (name, moment) in moments { next.record.clock.moments[name] = moment } }
            edited = next.record
            return next
        }
        return edited
    }

    /// Deletes a record. One that no server may know of goes without a trace, unless it may be made again.
    package func delete(_ key: RecordKey) throws {
        try changeNoting(key) { before in
            try before?.deleted(at: tick(after: before?.record), types: types)
        }
    }

    /// This home's device id, made at the first call, the same in every clock and session of this home.
    ///
    /// - Parameter new: what it is, `[A-Za-z0-9_-]{1,64}`, if none was made yet; nil: a UUID.
    package func device(new: String? = nil) throws -> String {
        if let id = try meta(.device) { return id }
        let id = new ?? UUID().uuidString.lowercased()
        try setMeta(.device, id)
        return id
    }
}

// MARK: - What follows from an edit

extension Cache {
    /// Carries out what the policy of a record's type says follows from a change of it: the next instance of a repeating
    /// task, for example.
    ///
    /// - Parameters:
    ///   - before: the record before the change; nil: it wasn't there.
    ///   - after: the record after it.
    package func followUp(from before: Record?, to after: Record) throws {
        let policy = types[after.key.collection].policy
        let successor = try policy.successor(of: after.key).flatMap { try cached($0)?.record }
        switch policy.consequence(from: before, to: after, successor: successor) {
        case .nothing: break
        case .make(let derived): try make(derived)
        case .revert(let key, let moment, let names): try revert(key, at: moment, stamping: names)
        }
    }

    /// Deletes a record that another one's change made, so that a later change, on another device too, makes it again.
    ///
    /// - Parameters:
    ///   - moment: when that change was undone; nil: now.
    ///   - names: the fields that get this moment.
    package func revert(
        _ key: RecordKey, at moment: HLC? = nil, stamping names: [String]? = nil
    ) throws {
        try changeNoting(key) { before in
            guard let live = before, !live.record.deleted else { return before }
            // Removed without a trace: no server can have sent it to other devices.
            if live.seen == nil, live.pending?.sent == nil { return nil }
            let now = try tick(after: live.record)
            var reverted = live.deleted(at: now, types: types)
            let names = names ?? types[key.collection].policy.stampedWhenRevived(live.record)
            reverted?.record.clock.stamp(names, at: moment ?? now)
            return reverted
        }
    }

    /// Makes a record that follows from another one, with clocks that follow from that one's; with its entries in the outbox
    /// and in the journal. One that is there is left as it is; a deleted one is revived, by an edit.
    @discardableResult
    package func make(_ derived: DerivedRecord) throws -> Record {
        var made = Record(key: derived.key)
        try changeNoting(derived.key) { before in
            let after = try decide(derived, over: before)
            made = after.record
            return after
        }
        return made
    }

    private func decide(_ derived: DerivedRecord, over before: CachedRecord?) throws -> CachedRecord {
        guard let before else {
            let at = try tick()
            let record = Record(
                key: derived.key, modifiedBy: at.device, fields: derived.fields, clock: derived.clock)
            return CachedRecord(record: record, pending: .init(at: at))
        }
        guard before.record.deleted else { return before }
        return before.edited(
            derived.fields.patch(from: before.record.fields), at: try tick(after: before.record), types: types)
    }
}
