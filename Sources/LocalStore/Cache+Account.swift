internal import GRDB

// Whose home it is.
extension Cache {
    /// Binds a space to its id on the server. Where that is bound already, only a new address of the server is kept.
    ///
    /// - Parameter server: the server's address; nil: unknown.
    /// - Throws: `LocalStoreError.otherAccount` if the home belongs to another one.
    public func bind(
        remote: String, username: String, server: String? = nil, space: Int64 = Cache.personal
    ) throws {
        let bound = try state(space: space).remote
        if let bound, bound != remote { throw LocalStoreError.otherAccount(username: try meta("username") ?? "?") }
        let isMoved = try server != nil && meta("server") != server
        if bound != nil, !isMoved { return }
        if let refusal { throw refusal }
        if isMoved { try setMeta("server", server) }
        if bound != nil { return }
        try setMeta("username", username)
        try execute("UPDATE spaces SET remote = ? WHERE number = ?", [remote, space])
    }

    /// Lets a space belong to nobody, so that it can be bound anew; what it holds stays as it is.
    public func unbind(space: Int64 = Cache.personal) throws {
        try execute("UPDATE spaces SET remote = NULL WHERE number = ?", [space])
    }

    /// The account that the home belongs to; nil before the first sign-in.
    public func owner() throws -> String? { try meta("username") }

    /// The address of the server that the account is on; nil: unknown.
    public func server() throws -> String? { try meta("server") }
}
