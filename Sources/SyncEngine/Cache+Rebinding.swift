public import LocalStore
internal import Records

extension Cache {
    /// Binds the personal space to the one that has come into its place on a server that lost everything, accounts too.
    /// As after a restore from a backup that had nothing of it, the next sync gives back all that is held; what is unsent
    /// stays so, and what was in flight is sent anew.
    ///
    /// - Parameter server: the server's address.
    public func rebind(remote: String, username: String, server: String) throws {
        let read = FullRead.restored(shared: 0)
        let present = try state().reading.flatMap(FullRead.init(json:))
        try land()
        try unbind()
        try bind(remote: remote, username: username, server: server)
        try beginFullRead((present?.followed(by: read) ?? read).json, afterRestore: true)
    }
}
