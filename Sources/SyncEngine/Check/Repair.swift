internal import Backend
package import LocalStore
internal import Records

// Making good what was found to be wrong, without losing what is unsent.
extension SyncEngine {
    /// Has the next sync read the whole space again and put right what differs; edits that are unsent stay so, and a batch in
    /// flight is resent first, with its key: otherwise what the server applied of it would come back as another device's edit.
    /// Does nothing on a home that no account has.
    ///
    /// - Throws: `LocalStoreError`.
    public func readAgain() throws {
        try store.writeNow { cache in
            let state = try cache.replica.state()
            guard state.remote != nil else { return }
            guard let present = state.reading.flatMap(FullRead.init(json:)) else {
                return try cache.replica.setReadAgain()
            }
            // One is under way: it begins again, as the same.
            let read = present.followed(by: .resync(.digestMismatch))
            try cache.replica.beginFullRead(read.json, afterRestore: false, adding: collections)
        }
    }

    /// Merges edits that were saved from a damaged cache into this one, as if they had been made on another device.
    ///
    /// - Returns: how many records have unsent edits now because of it.
    /// - Throws: `LocalStoreError`; then nothing has changed.
    package func merge(_ salvage: Salvage) throws -> Int {
        try store.writeNow { cache in
            let state = try cache.replica.state()
            var count = 0
            for saved in salvage.unsent {
                let key = saved.record.key
                let held = try cache.cached(key)
                let outcome =
                    held?.applyingSaved(saved, types: types)
                    ?? MergeOutcome(
                        next: state.hasReceivedAll(of: key.collection) ? saved.applyingRemoteDeletion() : saved)
                if outcome.next == held { continue }
                try cache.store(outcome.next, for: key)
                for conflict in outcome.conflicts where try cache.cached(conflict.key) == nil {
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
    func applyingSaved(_ saved: CachedRecord, types: RecordTypes) -> MergeOutcome {
        guard let pending else {
            let outcome = saved.applyingRemote(record, types: types)
            // What was sent after all is no edit any more.
            return outcome.next?.pending == nil ? MergeOutcome(next: self) : outcome
        }
        if saved.record.deleted == record.deleted, record.deleted || saved.record.fields == record.fields {
            return MergeOutcome(next: self)
        }
        var outcome = merging(saved.record, base: saved.mirror, pending: pending, types: types)
        guard let merged = outcome.next?.record else { return MergeOutcome(next: self) }
        var next = self
        next.record = merged
        next.record.version = record.version
        next.pending = Pending(at: merged.clock.latest ?? pending.at, edits: pending.edits + 1, sent: pending.sent)
        outcome.next = next.tidied()
        return outcome
    }
}

extension SyncEngine {
    /// Binds the personal space to the one that has come into its place on a server that lost everything, accounts too.
    /// As after a restore from a backup that had nothing of it, the next sync gives back all that is held; what is unsent
    /// stays so, and what was in flight is sent again.
    ///
    /// - Parameter server: the server's address.
    package static func rebind(_ cache: Cache, remote: String, username: String, server: String) throws {
        let read = FullRead.restored(shared: 0)
        let present = try cache.replica.state().reading.flatMap(FullRead.init(json:))
        try cache.outbox.land()
        try cache.account.unbind()
        try cache.account.bind(remote: remote, username: username, server: server)
        try cache.replica.beginFullRead((present?.followed(by: read) ?? read).json, afterRestore: true)
    }
}

extension SyncEngine {
    /// Makes sure that the cache is that of the account that is signed in: a file can be put into another home.
    ///
    /// - Throws: `LocalStoreError.otherAccount`, `BackendError.credentialStore`.
    func requireOwnCache() async throws {
        if try await isOwnCache() { return }
        // Another process of this home may have signed in since the session was read.
        try await backend.session.reload()
        if try await isOwnCache() { return }
        throw LocalStoreError.otherAccount(username: try await store.read { try $0.account.owner() } ?? "?")
    }

    private func isOwnCache() async throws -> Bool {
        guard let identity = try await backend.session.status().identity,
            let bound = try await store.read({ try $0.replica.state().remote })
        else { return true }
        return bound == identity.personalSpace
    }
}
