internal import Backend

/// Why a session can't be used.
public enum EndedSession: String, Codable, Sendable, CaseIterable {
    /// The person logged out here.
    case loggedOut
    /// It wasn't used for so long that the server has ended it.
    case expired
    /// The device was signed out from elsewhere, or the password was changed.
    case revoked
    /// The server's data were lost or replaced, and the server doesn't know the session.
    case unknownToServer = "unknown"
    /// Its tokens would be sent over plain http, which the person has not accepted.
    case unencrypted

    init(_ end: SessionEnd) {
        switch end {
        case .loggedOut: self = .loggedOut
        case .expired: self = .expired
        case .revoked: self = .revoked
        case .unknownToServer: self = .unknownToServer
        case .unencrypted: self = .unencrypted
        }
    }
}
