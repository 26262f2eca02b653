internal import SyncEngine

extension SyncResult {
    /// What was done, in plain words.
    ///
    /// - Parameters:
    ///   - refused: how many records the server refused, now or in a former sync.
    ///   - oversized: how many records are too large on the server to be received here.
    ///   - open: how many conflicts nobody has settled.
    ///   - settledElsewhere: how many with an edit of this device another one has settled, reported by no sync before.
    ///   - news: what is still to be told of former syncs.
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
        let rest = [Self.message(oversized: oversized), Self.told(settledElsewhere: settledElsewhere)]
        return ([done] + all.sentences + rest.compactMap(\.self)).joined(separator: " ")
    }

    private static func message(oversized: Int) -> String? {
        oversized == 0 ? nil : "\(oversized) not received, too large on the server: see `status`."
    }

    private static func told(settledElsewhere: Int) -> String? {
        settledElsewhere == 0 ? nil : "\(settledElsewhere) settled on another device: see `conflicts --settled`."
    }
}

extension SyncStatus.News {
    /// What the person must know, in plain words.
    var sentences: [String] {
        var sentences: [String] = []
        if conflicts > 0 { sentences.append("\(conflicts) new in `conflicts`.") }
        if revived > 0 { sentences.append("\(revived) that you deleted had been edited elsewhere, and came back.") }
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
        case .resync(.cursorExpired): "This device was away for so long that everything was read again."
        case .resync(.digestMismatch): "What was here differed from the server, so everything was read again."
        // Nobody has told it that it was: it is another one, or has begun anew.
        case .restored(shared: 0):
            "The server has nothing any more of what was synced before; it was given all that is here."
        case .restored: "The server was restored from a backup; what it had lost was given back to it."
        }
    }
}
