internal import Backend
internal import LocalStore
internal import SyncAPI

/// What a home is to an account that has signed in on it.
enum HomeClaim: Sendable, Equatable {
    /// Unclaimed, or this account's.
    case own
    /// This account's by name, but the server has lost its data and the account was created again.
    case lost
    /// Another account's.
    case foreign

    /// - Parameters:
    ///   - space: the space that the home is bound to; nil: none.
    ///   - owner: the user name that it belongs to.
    ///   - server: the address at which the owner's account is; nil: unknown.
    ///   - identity: who has signed in, and where.
    init(space: String?, owner: String?, server: String?, identity: SessionIdentity) {
        if space == nil || space == identity.personalSpace {
            self = .own
        } else {
            let isSame = Self.isSame(owner, identity.username) && server == identity.server.description
            self = isSame ? .lost : .foreign
        }
    }

    /// Whether two user names are the same to a server.
    static func isSame(_ one: String?, _ other: String) -> Bool { one.map(Username.folded) == Username.folded(other) }
}
