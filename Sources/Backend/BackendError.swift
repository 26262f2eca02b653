internal import Records
public import SyncAPI

/// An error of a call to the server. New cases may be added.
public enum BackendError: Error, Sendable, Equatable {
    /// There was no answer.
    case transport(TransportError)
    /// The server refused the request; `retryAfter` is the time that it asks to wait.
    case problem(Problem, retryAfter: Duration? = nil)
    /// Nothing was sent: the server is another machine reached over plain http, which the user has not accepted.
    case insecureServer(ServerAddress)
    /// The server supports no version of the protocol that this client supports, only newer or only older ones.
    case incompatible(ServerAddress, isNewer: Bool)
    /// The server lacks a part of the protocol; nothing was changed.
    case unsupported(ServerAddress, Capability)
    /// Signing in is required; nil: no account has signed in on this home yet.
    case signedOut(SessionEnd?)
    /// The answer isn't one of the protocol; the text describes it, for the diagnostic.
    case malformedAnswer(String)
    /// The file with the session has other contents; signing in replaces it.
    case damagedSession(path: String)
    /// The session couldn't be read from this machine's disk or written to it; the text is the reason.
    case credentialStore(String)
    /// The session couldn't be written to this machine's disk, which is full.
    case diskFull(path: String)
    /// The session has ended on this device, but its tokens couldn't be removed from where they are stored; the text is
    /// the reason.
    case tokensLeft(String)
}

extension BackendError {
    /// Whether the same call may succeed later without a change by the user (SyncAPI.docc/Protocol.md, "Duties of
    /// a client": 401, 408, 409 and 429 are no final answers, nor is a 5xx).
    public var isTransient: Bool {
        switch self {
        case .transport(let error): error.isTransient
        case .problem(let problem, _): [408, 409, 429].contains(problem.status) || problem.status >= 500
        // A captive portal or a proxy may have answered; it may be gone later.
        case .malformedAnswer: true
        case .insecureServer, .incompatible, .unsupported, .signedOut, .damagedSession, .credentialStore, .diskFull,
            .tokensLeft:
            false
        }
    }

    /// The time that the server asks to wait before the next try.
    public var retryAfter: Duration? {
        if case .problem(_, let wait) = self { wait } else { nil }
    }

    /// The text for the log: all that is known, without secrets.
    public var diagnostic: String {
        switch self {
        case .transport(let error): "no answer: \(error.kind.rawValue): \(error.detail)"
        case .problem(let problem, _):
            "status \(problem.status), \(problem.code.rawValue): \(problem.detail ?? problem.title)"
                + (problem.requestID.map { " (request \($0))" } ?? "")
        case .insecureServer(let server): "plain http refused: \(server)"
        case .incompatible(let server, let isNewer):
            "\(server) supports only \(isNewer ? "newer" : "older") versions of the protocol"
        case .unsupported(let server, let capability): "\(server) doesn't support \(capability.rawValue)"
        case .signedOut(let end): "no session: \(end?.rawValue ?? "never logged in")"
        case .malformedAnswer(let what): "malformed answer: \(what)"
        case .damagedSession(let path): "damaged session: \(path)"
        case .credentialStore(let why): "credential store: \(why)"
        case .diskFull(let path): "disk full: \(path)"
        case .tokensLeft(let why): "tokens left: \(why)"
        }
    }
}

extension BackendError {
    /// The message to the user: what happened, to what, and what to do next.
    public var message: String {
        switch self {
        case .transport(let error): Self.message(error)
        case .problem(let problem, let wait): Self.message(problem, wait)
        case .insecureServer(let server):
            "\(server) is not encrypted, so the password and your records could be read on the way. Nothing was sent. Use the "
                + "server's https address, or accept this with the option `insecure-http`."
        case .incompatible(let server, true):
            "The server \(server) is too new for this version of the program. Nothing was sent. Install a newer version of the "
                + "program."
        case .incompatible(let server, false):
            "The server \(server) is too old for this version of the program. Nothing was sent. Ask the server's owner to "
                + "update it."
        case .unsupported(let server, let capability):
            "The server \(server) \(Self.lack(of: capability)). Nothing was changed. Ask the server's owner to update it."
        case .signedOut(let end): Self.message(end)
        case .malformedAnswer:
            "The answer isn't from a sync server. Check the server's address; in a public network, open a web "
                + "page first: the network may require you to log in."
        case .damagedSession(let path):
            "The session in \(path) is damaged, so nothing can be synced. `login` replaces it; your records are not "
                + "affected."
        case .credentialStore(let why):
            "The session in this home can't be read or saved: \(Self.sentence(why))"
        case .diskFull(let path):
            Self.fullDiskMessage(path, "Free some space and try again; nothing was changed.")
        case .tokensLeft(let why):
            "You are signed out here, but the session's tokens couldn't be removed: \(Self.sentence(why))"
        }
    }

    /// Returns the message to the user that this device's disk is full. The errors of other modules use it, too.
    ///
    /// - Parameters:
    ///   - path: The file that can't be written.
    ///   - advice: What is stored all the same, and what to do next, as sentences.
    package static func fullDiskMessage(_ path: String, _ advice: String) -> String {
        "The disk is full: \(path) can't be written. \(advice)"
    }

    /// Returns what a server without a part of the protocol doesn't do.
    private static func lack(of capability: Capability) -> String {
        switch capability {
        case .records: "doesn't support requests for single records"
        case .revisions: "doesn't keep the history of records"
        case .events: "doesn't report changes as they happen"
        case .passwordReset: "doesn't accept one-time codes"
        case .accountDeletion: "doesn't let users delete their account"
        case .signOut: "can't sign out all devices at once; `devices --revoke ID` signs out a single device"
        case .deviceNames: "doesn't let users rename devices"
        case .appPasswords: "doesn't support app passwords"
        }
    }

    /// Returns the notice for a user while the client pauses before it sends a refused request again.
    public func retryNotice(server: ServerAddress?, pause: Duration) -> String {
        let address = server.map { "\($0)" } ?? "the server"
        if case .problem(let problem, _) = self, problem.code == .idempotencyKeyInUse {
            return "Waiting for \(address), which is still processing an earlier request …"
        }
        return "Waiting for \(address), which is busy; the next try is in \(Self.inWords(pause)) …"
    }

    private static func message(_ error: TransportError) -> String {
        let address = error.address.map { " " + $0 } ?? ""
        let server = "The server" + address
        return switch error.kind {
        case .cannotResolve:
            "\(server) can't be reached: its name wasn't found. Check the address and whether this machine is online."
        case .refused:
            "\(server) can't be reached. Check that it runs, its address, and whether this machine is online."
        case .timedOut: "\(server) didn't answer in time. Try again later."
        case .tls: "There is no secure connection to the server\(address): \(tlsFailure(error.detail))"
        case .cancelled: "The request was cancelled."
        // A server with TLS ends the connection of a request without it.
        case .protocolViolation where error.address?.hasPrefix("http://") == true:
            "The connection to the server\(address) was interrupted. If the server uses TLS there, give its https address: "
                + "--server https://…; otherwise try again later."
        case .protocolViolation: "The connection to the server\(address) was interrupted. Try again later."
        case .tooLarge: "\(server) sent an answer that is larger than this client receives. Inform the server's owner."
        case .unavailable:
            "Requests can't be sent: \(error.detail)."
        }
    }

    /// Returns why TLS failed and what to do, derived from the text of OpenSSL or libcurl, which is kept in the
    /// diagnostic.
    private static func tlsFailure(_ detail: String) -> String {
        let text = detail.lowercased()
        let mentions = { (words: [String]) in words.contains { text.contains($0) } }
        if mentions(["has expired", "not yet valid"]) {
            return
                "its certificate is not valid at this time. Check this machine's clock, and inform the server's owner."
        }
        if mentions(["subject name", "does not match"]) {
            return "its certificate is for another name. Check the address."
        }
        if mentions(["cafile", "certificate file", "setting certificate"]) {
            return
                "the file of trusted certificates can't be read. Check the file that --ca-file or the environment names."
        }
        if mentions(["self-signed", "self signed", "issuer", "unable to verify"]) {
            return
                "its certificate is not from an authority that this machine trusts. If the authority is your own, name "
                + "its certificate with --ca-file."
        }
        if mentions(["wrong version number", "record layer", "unknown protocol", "packet length"]) {
            return "the server does not speak TLS at this address. Check the port, and whether it is https or http."
        }
        if mentions(["protocol version", "unsupported protocol"]) {
            return "the server has none of the versions of TLS that are accepted (1.2 and later). Inform its owner."
        }
        // The texts of OpenSSL and GnuTLS about a server that closes the connection during the handshake.
        if mentions(["ssl_error_syscall", "unexpected eof", "connection reset", "unexpected tls", "non-properly"]) {
            return
                "the server ended the TLS handshake, so it probably does not speak TLS at this address. Check the port, "
                + "and whether it is https or http."
        }
        return "the TLS handshake failed. Check the address and the server's certificate."
    }

    /// Returns what the server found wrong in a request, with names of fields in words in place of JSON pointers.
    private static func refusal(_ problem: Problem) -> String? {
        guard problem.code == .invalidBody, let error = problem.extensions["errors"]?.array?.first?.object,
            let pointer = error["pointer"]?.string, let detail = error["detail"]?.string
        else { return nil }
        let names = [
            "/username": "the user name", "/password": "the password", "/newPassword": "the new password",
            "/device/name": "the device name",
        ]
        return names[pointer].map { sentence("\($0) \(detail)") }
    }

    private static func message(_ problem: Problem, _ wait: Duration?) -> String {
        let said = refusal(problem) ?? sentence(problem.detail ?? problem.title)
        return switch problem.code {
        case .invalidCredentials: "User name or password is wrong. Check both and try again."
        case .usernameTaken: "This user name is taken. Choose another; if it is yours, `login`."
        case .registrationClosed:
            "No account was created: \(said) With an invite code from the server's owner: `register NAME --invite CODE`."
        case .rateLimited: "Too many attempts. Wait \(wait.map(inWords) ?? "a while"), then try again."
        // Only records and bytes keep edits from being sent; a server of an earlier version names no limit.
        case .quotaExceeded where ["devices", "streams"].contains(problem.extensions["quota"]?.string):
            "The account's quota on the server is used up: \(said) `whoami` shows the usage."
        case .quotaExceeded:
            "The account's quota on the server is used up: \(said) Unsent edits stay here; `whoami` shows the usage."
        case .accountDisabled:
            "The server's owner has disabled this account. Your records and unsent edits stay here, and are synced once it "
                + "is enabled. Ask the server's owner."
        case .insufficientStorage:
            "The server's disk is full. Unsent edits stay here. Inform the server's owner, and try again later."
        // The details say what to use instead.
        case .forbidden where problem.detail != nil:
            "The server refused: \(problem.title.prefix(1).lowercased())\(problem.title.dropFirst()); \(said)"
        case .idempotencyKeyInUse: "The server is still processing an earlier request. Try again in a moment."
        // A sync server answers with a problem document. Without one, an answer with these statuses is that of a proxy
        // in front of it.
        case _
        where !problem.isDocument && ![408, 429, 500, 502, 503, 504].contains(problem.status)
            && !(300..<400).contains(problem.status):
            "What answers at this address is not a sync server: it answered with status \(problem.status). Check the "
                + "server's address."
        case _ where problem.status >= 500:
            "The server failed: \(said) Try again \(wait.map { "in " + inWords($0) } ?? "later")."
        case _ where (300..<400).contains(problem.status): "The server's address seems to be wrong: \(said)"
        default: "The server refused: \(said)"
        }
    }

    private static func message(_ end: SessionEnd?) -> String {
        guard let end else { return "Not signed in. `login` or `register` first." }
        let reason: String = end.reason.prefix(1).uppercased() + end.reason.dropFirst()
        return switch end {
        case .loggedOut: "\(reason). `login` again to sync."
        case .expired, .refreshedTooOften, .appPasswordRefused:
            "\(reason). `login` again; unsent edits stay here until then."
        case .revoked:
            "\(reason). `login` again, or `register` a new account of this name if it no longer exists; unsent edits stay "
                + "here until then."
        case .tokensMissing:
            "\(reason). `login` again, or correct the setting `credential-command`; unsent edits stay here until then."
        case .unencrypted:
            "\(reason), since your records could be read on the way. `login NAME --server https://…` to use the server's "
                + "https address, or `login NAME --insecure-http` to accept plain http; unsent edits stay here until then."
        case .unknownToServer:
            "\(reason): its data were lost, or replaced by an older backup. Nothing here was changed. `login` again; if the "
                + "account no longer exists, `register` it again, and `sync` sends everything that is here."
        }
    }

    private static func sentence(_ text: String) -> String {
        guard let last = text.last else { return "no reason given." }
        return ".!?".contains(last) ? text : text + "."
    }

    private static func inWords(_ wait: Duration) -> String {
        let seconds = wait.components.seconds
        return switch seconds {
        case ..<2: "a second"
        case ..<120: "\(seconds) seconds"
        default: "\((seconds + 59) / 60) minutes"
        }
    }
}
