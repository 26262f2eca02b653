internal import LocalStore

extension CacheFault {
    /// What is wrong, for the person.
    var words: String {
        let some = count == 1 ? "1 record" : "\(count) records"
        return switch kind {
        case .unreadablePages: "SQLite can't read parts of the cache" + because
        case .brokenIndex: "an index doesn't match its table" + because
        case .brokenSpace: "the sync state of this home can't be read" + because
        case .danglingReferences: "\(count) rows have no owner" + because
        case .unreadableRecords: "\(some) can't be read"
        case .unreadableMirrors: "the server's state of \(some) can't be read"
        case .unreadableEntries: "when \(some) was edited can't be read"
        case .strayMirrors: "\(some) may have unsent edits that would never be sent"
        case .lostEntries: "\(some) created here would never be sent"
        case .impossibleCounts: "the number of edits of \(some) is wrong"
        case .brokenBatch: "the batch in flight doesn't match the outbox"
        case .strayReadMarks: "\(some) have marks of a sync that has ended"
        case .wrongDigest: "the digest of the records is wrong"
        case .wrongSearchIndex: "the search index lacks \(some)"
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
            "`doctor --repair` moves the file away, keeps the unsent edits that can be read, and reads the rest from the "
                + "server."
        case .reading:
            "`doctor --repair` repairs this and reads everything from the server again; unsent edits are kept."
        case .recounting: "`doctor --repair` repairs this."
        }
    }
}
