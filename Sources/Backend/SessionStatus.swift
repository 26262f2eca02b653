/// What a person may know of the session; no secrets.
public enum SessionStatus: Sendable, Equatable {
    /// No account has ever logged in on this home.
    case neverSignedIn
    /// Signed in.
    case active(SessionIdentity)
    /// Was signed in, and must log in again.
    case ended(SessionIdentity, SessionEnd)

    init(_ credentials: Credentials?) {
        guard let credentials else {
            self = .neverSignedIn
            return
        }
        self = credentials.end.map { .ended(credentials.identity, $0) } ?? .active(credentials.identity)
    }

    /// Account, server and device, as long as they are known.
    public var identity: SessionIdentity? {
        switch self {
        case .neverSignedIn: nil
        case .active(let identity), .ended(let identity, _): identity
        }
    }
}
