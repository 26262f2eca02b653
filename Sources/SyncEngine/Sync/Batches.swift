internal import Backend
internal import LocalStore
internal import Records
internal import SyncAPI

// The creation of batches, and the handling of one that the server refuses.
extension SyncEngine {
    /// Creates a batch from the outbox and stores it as in flight; nil: there is nothing to send now.
    ///
    /// If records belong to collections that the home doesn't receive, these are added to `run.collections` and
    /// received first: the server's digest wouldn't count the records otherwise.
    func stageBatch(since cursor: String, in run: inout SyncRun) throws -> Batch? {
        let (key, limit) = (makeKey(), run.batchLimit)
        return try store.writeNow { cache -> Batch? in
            try cache.replica.holdBackOversized()
            let outgoing = Outgoing(try cache.outbox.sendable(limit: limit), since: cursor, limit: limit)
            // Records without a change would be found again and again, so that the sync wouldn't end.
            for key in outgoing.unchanged { try cache.outbox.removeUnchanged(key) }
            if outgoing.keys.isEmpty { return nil }
            let collections = CollectionSet(outgoing.keys.map(\.collection))
            guard try cache.replica.state().collections.isSuperset(of: collections) else {
                run.collections = run.collections.union(collections)
                return nil
            }
            let batch = Batch(key: key, since: cursor, body: outgoing.body)
            try cache.outbox.beginSending(batch, of: outgoing.keys)
            return batch
        }
    }

    /// Handles an error in place of the answer to a batch.
    ///
    /// - Throws: The error, if the sync can't continue.
    func handle(_ error: BackendError, of batch: Batch, in run: inout SyncRun) throws {
        if case .transport(let failure) = error, failure.kind == .tooLarge { return try giveUp(batch, in: &run) }
        switch Refusal.of(error, isPush: true) {
        case .read(let read): try begin(read, in: &run)
        case .fail(let isFinal):
            // After an answer that isn't final, the batch stays in flight and is sent again with its key.
            if isFinal { try store.writeNow { try $0.outbox.endSending() } }
            throw error
        case .split(let rejection): try split(batch, rejection, in: &run)
        }
    }

    /// Handles an answer to a batch that is too large to be received, because of a record that conflicts or that others
    /// have changed. The changes are pulled instead: what the server has applied of the batch is among them as equal
    /// edits.
    private func giveUp(_ batch: Batch, in run: inout SyncRun) throws {
        try store.writeNow { try $0.outbox.endSending() }
        // The next request must be a pull.
        run.seen = .part
        try run.countFruitless(SyncResult())
    }

    /// Sends the batch in halves from now on; a record that is refused alone is the one at fault.
    private func split(_ batch: Batch, _ rejection: Rejection, in run: inout SyncRun) throws {
        let keys = try PushRequest(stored: batch.body).mutations.map(\.key)
        let culprit = keys.count == 1 ? keys.first : nil
        try store.writeNow { cache in
            try cache.outbox.endSending()
            if let culprit { try cache.outbox.refuse(culprit, rejection) }
        }
        if let culprit { run.result.rejected[culprit] = rejection }
        // Once the record at fault is set aside, full batches may be sent again.
        run.batchLimit = culprit == nil ? keys.count / 2 : Limits.mutations
    }
}
