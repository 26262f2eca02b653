internal import Backend
internal import LocalStore
internal import Records
internal import SyncAPI

// Making batches of the outbox, and what happens to one that the server refuses.
extension SyncEngine {
    /// Makes a batch from the outbox and stores it as in flight. Returns nil if nothing is left to send, or if the batch has
    /// records of collections that the home doesn't receive. Those collections are then added to `run.collections` and
    /// received first: the server's digest wouldn't count the records otherwise.
    func stageBatch(since cursor: String, in run: inout SyncRun) throws -> Batch? {
        let (key, limit) = (makeKey(), run.batchLimit)
        return try store.writeNow { cache -> Batch? in
            try cache.replica.holdBackOversized()
            let outgoing = Outgoing(try cache.outbox.sendable(limit: limit), since: cursor, limit: limit)
            for key in outgoing.settled { try cache.outbox.settle(key) }
            if outgoing.keys.isEmpty { return nil }
            let collections = CollectionSet(outgoing.keys.map(\.collection))
            guard try cache.replica.state().collections.isSuperset(of: collections) else {
                run.collections = run.collections.union(collections)
                return nil
            }
            let batch = Batch(key: key, since: cursor, body: outgoing.body)
            try cache.outbox.launch(batch, of: outgoing.keys)
            return batch
        }
    }

    /// Handles an error in the place of an answer to a batch.
    ///
    /// - Throws: the error, if the sync can't continue.
    func handle(_ error: BackendError, of batch: Batch, in run: inout SyncRun) throws {
        if case .transport(let failure) = error, failure.kind == .tooLarge { return try giveUp(batch, in: &run) }
        switch Refusal.of(error, isPush: true) {
        case .read(let read): try begin(read, in: &run)
        case .fail(let isFinal):
            if isFinal { try store.writeNow { try $0.outbox.land() } }
            throw error
        case .split(let rejection): try split(batch, rejection, in: &run)
        }
    }

    /// Handles an answer to a batch that is too large to be received, because of a record that conflicts or that others
    /// changed. The changes are pulled instead: mutations of the batch that the server applied appear there as equal
    /// edits.
    private func giveUp(_ batch: Batch, in run: inout SyncRun) throws {
        try store.writeNow { try $0.outbox.land() }
        run.seen = .part
        try run.countFruitless(SyncResult())
    }

    /// Sends the batch in halves from now on; the last record that is left of it alone is the one at fault.
    private func split(_ batch: Batch, _ rejection: Rejection, in run: inout SyncRun) throws {
        let keys = try PushRequest(stored: batch.body).mutations.map(\.key)
        let culprit = keys.count == 1 ? keys.first : nil
        try store.writeNow { cache in
            try cache.outbox.land()
            if let culprit { try cache.outbox.refuse(culprit, rejection) }
        }
        if let culprit { run.result.rejected[culprit] = rejection }
        run.batchLimit = culprit == nil ? keys.count / 2 : Limits.mutations
    }
}
