internal import SyncEngine

extension SyncResult {
    /// What was done, in plain words.
    ///
    /// - Parameters:
    ///   - refused: how many records the server refused, now or in a former sync.
    ///   - oversized: how many records are too large on the server to be received here.
    ///   - open: how many conflicts are open.
    ///   - settledElsewhere: how many with an edit of this device another one has settled, reported by no sync before.
    ///   - news: messages of earlier syncs that were not shown yet.
    func summary(
        refused: Int, oversized: Int, open: Int, settledElsewhere: Int, news: SyncStatus.News = SyncStatus.News()
    ) -> String {
        var parts: [String] = []
        if pushed > 0 { parts.append("sent \(pushed)") }
        if pulled > 0 { parts.append("received \(pulled)") }
        if merged > 0 { parts.append("merged \(merged)") }
        let whole = refused + oversized == 0 ? "Everything is in sync." : "Everything else is in sync."
        let done = parts.isEmpty ? whole : "In sync: " + parts.joined(separator: ", ") + "."
        var fresh = SyncStatus.News(self)
        // What another device had settled already is met and merged in the same sync.
        fresh.conflicts = min(conflicts, open)
        var all = news
        all.add(fresh)
        all.refused = refused
        let rest = [Self.message(oversized: oversized), Self.message(settledElsewhere: settledElsewhere)]
        return ([done] + all.sentences + rest.compactMap(\.self)).joined(separator: " ")
    }

    private static func message(oversized: Int) -> String? {
        oversized == 0 ? nil : "\(oversized) not received, too large on the server: see `status`."
    }

    private static func message(settledElsewhere: Int) -> String? {
        settledElsewhere == 0 ? nil : "\(settledElsewhere) resolved on another device: see `conflicts --settled`."
    }
}

extension SyncStatus.News {
    /// What the person must know, in plain words.
    var sentences: [String] {
        var sentences: [String] = []
        if conflicts > 0 { sentences.append("\(conflicts) new conflict\(conflicts == 1 ? "" : "s"): see `conflicts`.") }
        if revived > 0 {
            sentences.append(
                "Restored \(revived) record\(revived == 1 ? "" : "s") that you deleted: edited on another device.")
        }
        if refused > 0 { sentences.append("The server refused \(refused): see `status`.") }
        for reason in fullReads.compactMap(\.reason) where !sentences.contains(reason) { sentences.append(reason) }
        return sentences
    }
}

extension FullRead {
    /// Why everything was read again, for the person; nil for a device's first read.
    fileprivate var reason: String? {
        switch self {
        case .first: nil
        case .resync(.cursorExpired): "This device was offline for so long that everything was read again."
        case .resync(.digestMismatch):
            "This device and the server held different records, so everything was read again."
        // The server doesn't know of a restore: its database is another one, or a new one.
        case .restored(shared: 0):
            "The server has lost everything that was synced before; all records were sent to it again."
        case .restored: "The server was restored from a backup; the records that it had lost were sent to it again."
        }
    }
}
