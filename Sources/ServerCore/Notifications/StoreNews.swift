/// What a server process reports after a commit to the other processes over the same store, so that their event streams
/// learn of it at once.
public enum StoreNews: Sendable, Hashable {
    /// Records of a space have changed; its version after the commit.
    case changed(space: String, version: Int64)
    /// A session of an account may have ended, or its spaces may have changed.
    case recheck(account: String)
    /// News may have been missed, or concern all accounts.
    case anything
}

/// Receives the news of a store until it is released.
public protocol StoreNewsReceiving: AnyObject, Sendable {}

extension EventHub {
    /// Notifies the streams of this process of the news of another one.
    func received(_ news: StoreNews) {
        switch news {
        case .changed(let space, let version): noteChange(of: space, version: version)
        case .recheck(let account): noteRecheck(of: account)
        case .anything: recheckAll()
        }
    }
}
