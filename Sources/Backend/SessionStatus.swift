/// The status of a session, as a user may know it; no secrets. New cases may be added.
public enum SessionStatus: Sendable, Equatable {
    /// No account has ever logged in on this home.
    case neverSignedIn
    /// Signed in.
    case active(SessionIdentity)
    /// The session has ended, and the user must log in again.
    case ended(SessionIdentity, SessionEnd)

    init(_ credentials: Credentials?) {
        guard let credentials else {
            self = .neverSignedIn
            return
        }
        self = credentials.end.map { .ended(credentials.identity, $0) } ?? .active(credentials.identity)
    }

    /// Account, server and device; nil: no account has ever logged in.
    public var identity: SessionIdentity? {
        switch self {
        case .neverSignedIn: nil
        case .active(let identity), .ended(let identity, _): identity
        }
    }
}
