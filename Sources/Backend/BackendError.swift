public import SyncAPI

/// Why a call to the server brought no result.
public enum BackendError: Error, Sendable, Equatable {
    /// There was no answer.
    case transport(TransportError)
    /// The server refused, and says why; `retryAfter` is how long it asks to wait.
    case problem(Problem, retryAfter: Duration? = nil)
    /// Nothing was sent: the server is another machine reached over plain http, which the person has not accepted.
    case insecureServer(ServerAddress)
    /// Logging in is required; nil: no account has logged in on this home yet.
    case signedOut(SessionEnd?)
    /// The answer isn't what the protocol promises; the text says what it was, for the diagnostic.
    case malformedAnswer(String)
    /// The file with the session holds something else; logging in replaces it.
    case damagedSession(path: String)
    /// The session couldn't be read from this machine's disk or written to it; the text says why.
    case credentialStore(String)
}

extension BackendError {
    /// Whether the same call may succeed later without a change by the user (SyncAPI.docc/Protocol.md, "Duties of
    /// a client": 401, 408, 409 and 429 are no final answers, nor is a 5xx).
    public var isTransient: Bool {
        switch self {
        case .transport(let error): error.isTransient
        case .problem(let problem, _): [408, 409, 429].contains(problem.status) || problem.status >= 500
        case .malformedAnswer: true
        case .insecureServer, .signedOut, .damagedSession, .credentialStore: false
        }
    }

    /// How long the server is busy before the next try.
    public var retryAfter: Duration? {
        if case .problem(_, let wait) = self { wait } else { nil }
    }

    /// For the log: everything that is known, and no secrets.
    public var diagnostic: String {
        switch self {
        case .transport(let error): "no answer: \(error.kind.rawValue): \(error.detail)"
        case .problem(let problem, _):
            "status \(problem.status), \(problem.code.rawValue): \(problem.detail ?? problem.title)"
                + (problem.requestID.map { " (request \($0))" } ?? "")
        case .insecureServer(let server): "plain http refused: \(server)"
        case .signedOut(let end): "no session: \(end?.rawValue ?? "never logged in")"
        case .malformedAnswer(let what): "malformed answer: \(what)"
        case .damagedSession(let path): "damaged session: \(path)"
        case .credentialStore(let why): "credential store: \(why)"
        }
    }
}
