internal import SyncEngine

extension SyncReport {
    /// What was done, in plain words.
    ///
    /// - Parameters:
    ///   - refused: how many records the server refused, now or in a former sync.
    ///   - open: how many conflicts nobody has settled.
    ///   - settledElsewhere: how many with an edit of this device another one has settled, and nobody has seen here.
    func summary(refused: Int, open: Int, settledElsewhere: Int) -> String {
        var parts: [String] = []
        if pushed > 0 { parts.append("sent \(pushed)") }
        if pulled > 0 { parts.append("received \(pulled)") }
        if merged > 0 { parts.append("merged \(merged)") }
        let whole = refused == 0 ? "Everything is in sync." : "Everything else is in sync."
        var text = parts.isEmpty ? whole : "In sync: " + parts.joined(separator: ", ") + "."
        // What another device had settled already is met and merged in the same sync.
        let new = min(conflicts, open)
        if new > 0 { text += " \(new) new in `conflicts`." }
        if settledElsewhere > 0 {
            text += " \(settledElsewhere) settled on another device: see `conflicts --settled`."
        }
        if revived > 0 { text += " \(revived) that you deleted had been edited elsewhere, and came back." }
        if refused > 0 { text += " The server refused \(refused): see `status`." }
        for read in fullReads { if let reason = read.reason { text += " " + reason } }
        return text
    }
}

extension FullRead {
    /// Why everything was read again, for the person; nil for a device's first read.
    fileprivate var reason: String? {
        switch self {
        case .first: nil
        case .resync(.cursorExpired): "This device was away for so long that everything was read again."
        case .resync(.digestMismatch): "What was here differed from the server, so everything was read again."
        case .restored: "The server was restored from a backup; what it had lost was given back to it."
        }
    }
}
