internal import LocalStore

extension CacheFault {
    /// What is wrong, for the person.
    var words: String {
        let some = count == 1 ? "1 record" : "\(count) records"
        return switch kind {
        case .unreadablePages: "SQLite can't read parts of the cache" + because
        case .brokenIndex: "an index doesn't fit its table" + because
        case .brokenSpace: "how far this home has synced can't be read" + because
        case .danglingReferences: "\(count) rows belong to nothing" + because
        case .unreadableRecords: "\(some) can't be read"
        case .unreadableMirrors: "what the server has of \(some) can't be read"
        case .unreadableEntries: "when \(some) was edited can't be read"
        case .strayMirrors: "\(some) may have unsent edits that would never be sent"
        case .lostEntries: "\(some) made here would never be sent"
        case .impossibleCounts: "the edits of \(some) are counted wrongly"
        case .brokenBatch: "what is being sent doesn't fit the outbox"
        case .strayReadMarks: "\(some) bear marks of a sync that is over"
        case .wrongDigest: "the sum over what is held is wrong"
        case .wrongSearchIndex: "the words of \(some) can't be searched"
        }
    }

    private var because: String { detail.map { " (\($0))" } ?? "" }
}

extension CacheFault.Kind {
    /// Which check finds it.
    var check: String {
        switch self {
        case .unreadablePages, .brokenIndex, .danglingReferences: "file"
        case .unreadableRecords, .unreadableMirrors: "records"
        case .unreadableEntries, .strayMirrors, .lostEntries, .impossibleCounts, .brokenBatch: "outbox"
        case .brokenSpace, .strayReadMarks, .wrongDigest: "sync"
        case .wrongSearchIndex: "search"
        }
    }

    /// What repairing does about it.
    var remedy: String {
        switch mending {
        case .rebuilding:
            "`doctor --repair` puts the file aside, keeps what can be read of your unsent edits, and reads the rest from the "
                + "server."
        case .reading: "`doctor --repair` mends it and reads everything from the server again; unsent edits stay."
        case .recounting: "`doctor --repair` mends it."
        }
    }
}
