import Controllers

/// What is known of a session, as all views say it.
struct SessionFacts {
    var username: String?
    var server: String?
    var isSignedIn: Bool
    var ended: EndedSession?

    init(_ state: SessionScreen.State) {
        (username, server) = (state.username, state.server)
        (isSignedIn, ended) = (state.isSignedIn, state.ended)
    }

    init(_ state: SyncScreen.State) {
        (username, server) = (state.username, state.server)
        (isSignedIn, ended) = (state.isSignedIn, state.ended)
    }

    /// The account and its server; why the session can't be used, where it can't.
    func account(_ wording: Wording) -> Fact {
        guard let username, let server else {
            return Fact(
                "account", wording.way(typed: "none; `register` or `login` to sync", page: "none; sign in to sync"))
        }
        let account = "\(username) on \(server)"
        return isSignedIn ? Fact("account", account) : Fact("account", "\(account) (\(end(wording)))", .warning)
    }

    /// Why the session can't be used, and what to do.
    private func end(_ wording: Wording) -> String {
        let again = wording.way(typed: "`login` again", page: "sign in again")
        switch ended {
        case .expired: return "the session has expired: \(again)"
        case .revoked: return "revoked by another device, or the password was changed: \(again)"
        case .unknownToServer: return "the server no longer knows this device: \(again)"
        case .unencrypted:
            let way = wording.way(
                typed: "`login` with the https address, or with --insecure-http",
                page: "sign in with the https address, or accept plain http")
            return "plain http is refused: \(way)"
        case .loggedOut, nil: return "signed out: \(again)"
        }
    }
}

extension SessionScreen.State {
    /// The connection, where it is not encrypted.
    var encryption: Fact? { insecureHTTP ? Fact("encryption", SessionScreen.insecureHTTPNote, .warning) : nil }
}
