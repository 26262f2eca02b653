internal import GRDB
internal import Records

extension Cache {
    /// Stores what was recovered in a new, empty cache.
    func adopt(_ salvage: Salvage) throws {
        for (name, value) in salvage.meta { try setMeta(named: name, value) }
        for cached in salvage.unsent { try store(cached, for: cached.record.key) }
        guard let space = salvage.space else { return }
        if space.remote != nil, let batch = space.batch { try adopt(batch, space.inFlight) }
        if let remote = space.remote {
            try execute("UPDATE spaces SET remote = ? WHERE number = ?", [remote, Cache.personal])
        }
        // A full read that was under way begins again; else the next answer has the epoch, and its digest shows what
        // is missing.
        try execute(
            "UPDATE spaces SET cursor = ?, reading = ? WHERE number = ?",
            [space.reading == nil ? space.cursor : nil, space.reading, Cache.personal])
        for key in space.former where try cached(key) != nil {
            try execute(
                """
                INSERT INTO former SELECT number FROM records WHERE space = ? AND collection = ? AND id = ?
                """, [Cache.personal, key.collection, key.id])
        }
    }

    /// Goes on with a batch in flight, if all its records were saved: resent with its key, it is answered as it was; without
    /// that, what the server applied of it would come back as another device's edit.
    private func adopt(_ batch: Batch, _ inFlight: [RecordKey: Salvage.InFlight]) throws {
        let keys = Self.keys(of: batch)
        guard let keys, keys == Set(inFlight.keys), try keys.allSatisfy({ try cached($0)?.pending != nil }) else {
            return
        }
        for (key, counts) in inFlight {
            try change(key) { cached in
                guard var next = cached else { return nil }
                next.pending?.edits = counts.edits
                next.pending?.sent = counts.sent
                return next
            }
        }
        try execute(
            "INSERT INTO batches VALUES (?, ?, ?, ?)", [Cache.personal, batch.key, batch.since, batch.body])
    }
}
