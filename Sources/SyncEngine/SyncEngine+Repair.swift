public import LocalStore
internal import Records

// Making good what was found to be wrong, without losing what is unsent.
extension SyncEngine {
    /// Has the next sync read the whole space again and put right what differs; edits that are unsent stay so, and a batch in
    /// flight is resent first, with its key: else what the server took of it would come back as somebody else's edit.
    /// Does nothing on a home that no account has.
    ///
    /// - Throws: `LocalStoreError`.
    public func readAgain() throws {
        try store.writeNow { cache in
            let state = try cache.state()
            guard state.remote != nil else { return }
            guard let present = state.reading.flatMap(FullRead.init(json:)) else { return try cache.setReadAgain() }
            // One is under way: it begins again, as the same.
            let read = present.followed(by: .resync(.digestMismatch))
            try cache.beginFullRead(read.json, afterRestore: false)
        }
    }

    /// Takes edits that were saved from a damaged cache as edits of this one: on top of what is held, as if they had been
    /// made on another device.
    ///
    /// - Returns: how many records have got unsent edits by it.
    /// - Throws: `LocalStoreError`; then nothing has changed.
    public func take(_ salvage: Salvage) throws -> Int {
        try store.writeNow { cache in
            let state = try cache.state()
            let hasSeenAll = state.cursor != nil && state.reading == nil
            var count = 0
            for saved in salvage.unsent {
                let key = saved.record.key
                let held = try cache.cached(key)
                let taken =
                    held?.taking(saved: saved, types: types)
                    ?? Taken(next: hasSeenAll ? saved.takingAbsence() : saved)
                if taken.next == held { continue }
                try cache.store(taken.next, for: key)
                for conflict in taken.conflicts where try cache.cached(conflict.key) == nil {
                    try cache.store(conflict.cached, for: conflict.key)
                }
                count += 1
            }
            return count
        }
    }
}

extension CachedRecord {
    /// Edits of this record, saved from elsewhere, on top of what is held.
    func taking(saved: CachedRecord, types: RecordTypes) -> Taken {
        guard let pending else {
            let taken = saved.taking(record, types: types)
            // What was sent after all is no edit any more.
            return taken.next?.pending == nil ? Taken(next: self) : taken
        }
        if saved.record.deleted == record.deleted, record.deleted || saved.record.fields == record.fields {
            return Taken(next: self)
        }
        var taken = merging(saved.record, base: saved.mirror, pending: pending, types: types)
        guard let merged = taken.next?.record else { return Taken(next: self) }
        var next = self
        next.record = merged
        next.record.version = record.version
        next.pending = Pending(at: merged.clock.latest ?? pending.at, edits: pending.edits + 1, sent: pending.sent)
        taken.next = next.tidied()
        return taken
    }
}
