internal import Backend
public import LocalStore
internal import Records

// Repairs with the help of the server, without loss of unsent edits.
extension SyncEngine {
    /// Requests a full read by the next sync, which repairs differences. Unsent edits stay unsent. A batch in flight is
    /// sent again first, with its key: otherwise what the server has applied of it would be received as edits of
    /// another device. Does nothing in a home without an account.
    ///
    /// - Returns: Whether the home has an account.
    /// - Throws: `LocalStoreError`.
    @discardableResult
    public func requestFullRead() throws -> Bool {
        try store.writeNow { cache in
            let state = try cache.replica.state()
            guard state.remote != nil else { return false }
            guard let present = state.reading.flatMap(FullRead.init(json:)) else {
                try cache.replica.setReadAgain()
                return true
            }
            // The read under way begins again, and keeps what it knows of a restore.
            let read = present.followed(by: .resync(.digestMismatch))
            try cache.replica.beginFullRead(read.json, afterRestore: false, adding: collections)
            return true
        }
    }

    /// Merges edits that were saved from a damaged cache into this one, as if another device had made them.
    ///
    /// - Returns: The number of records that have unsent edits because of it.
    /// - Throws: `LocalStoreError`; then nothing has changed.
    public func merge(_ salvage: Salvage) throws -> Int {
        try store.writeNow { cache in
            let state = try cache.replica.state()
            var count = 0
            for saved in salvage.unsent {
                let key = saved.record.key
                let held = try cache.cached(key)
                // A record that isn't cached was deleted on the server, if all records of its collection were received.
                let outcome =
                    held?.applyingSaved(saved, types: types)
                    ?? MergeOutcome(
                        next: state.hasReceivedAll(of: key.collection) ? saved.applyingRemoteDeletion() : saved)
                if outcome.next == held { continue }
                try cache.store(outcome.next, for: key)
                // An existing conflict may already be resolved.
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
    /// Merges edits of this record that were saved from a damaged cache into the cached state.
    func applyingSaved(_ saved: CachedRecord, types: RecordTypes) -> MergeOutcome {
        guard let pending else {
            let outcome = saved.applyingRemote(record, types: types)
            // The edits had reached the server after all.
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
    /// Binds the personal space to its successor on a server that lost everything, accounts included. As after a
    /// restore from a backup without any of it, the next sync sends everything. Unsent edits stay unsent, and what was
    /// in flight is sent again.
    ///
    /// - Parameter server: The server's address.
    package static func rebind(_ cache: Cache, remote: String, username: String, server: String) throws {
        let read = FullRead.restored(shared: 0)
        let present = try cache.replica.state().reading.flatMap(FullRead.init(json:))
        // The new server doesn't know the key or the cursor of a batch in flight.
        try cache.outbox.endSending()
        try cache.account.unbind()
        try cache.account.bind(remote: remote, username: username, server: server)
        try cache.replica.beginFullRead((present?.followed(by: read) ?? read).json, afterRestore: true)
    }
}

extension SyncEngine {
    /// Checks that the cache belongs to the account that is signed in: a file may have been put into another home.
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
        // Only a session and a bound cache can contradict each other.
        guard let identity = try await backend.session.status().identity,
            let bound = try await store.read({ try $0.replica.state().remote })
        else { return true }
        return bound == identity.personalSpace
    }
}
