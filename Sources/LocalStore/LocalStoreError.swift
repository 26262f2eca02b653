/// What can go wrong with a home's files. Nothing is deleted or overwritten when one of these is thrown.
public enum LocalStoreError: Error, Sendable, Equatable {
    /// The cache can't be read as SQLite, or holds what can't be.
    case damaged(path: String, reason: String)
    /// The home or a file in it can't be made, read or written.
    case unusable(path: String, reason: String)
    /// Another process held the cache for longer than the time limit.
    case busy(path: String)
    /// No space is left on the disk.
    case diskFull(path: String)
    /// A newer Satchel wrote this cache.
    case tooNew(path: String)
    /// The home belongs to another account.
    case otherAccount(username: String)
}

extension LocalStoreError: CustomStringConvertible {
    /// The message, for errors that quote this one.
    public var description: String { message }

    /// What happened, to what, and what to do next, for the person.
    public var message: String {
        switch self {
        case .damaged(let path, let reason):
            "The cache \(path) is damaged (\(reason)). It was left as it is. Move it aside, then `login` and `sync` "
                + "bring everything back from the server; keep the file: edits that weren't sent are only there."
        case .unusable(let path, let reason):
            "\(path) can't be used: \(reason). Check its owner and permissions, or name another home with --home."
        case .busy(let path):
            "Another process holds \(path) for too long. Nothing was changed; try again, or end that process."
        case .diskFull(let path):
            "The disk with \(path) is full. Nothing was changed; make room and try again."
        case .tooNew(let path):
            "\(path) was written by a newer Satchel. Update this one; the file was left as it is."
        case .otherAccount(let username):
            "This home belongs to the account \(username). Sign in as \(username), or use another home with --home."
        }
    }
}
