public import Backend
public import ControllerKit
public import LocalStore
public import Notebook
public import Records
public import SyncAPI
public import SyncEngine

// The boundary where errors of services become messages for the user.

extension BackendError: PersonFacing {
    public var category: Failure.Category {
        switch self {
        case .transport(let error):
            switch error.kind {
            case .cancelled, .unavailable: .failed
            case .cannotResolve, .refused, .timedOut, .tls, .protocolViolation, .tooLarge: .unreachable
            }
        case .problem(let problem, _):
            problem.status == 401 ? .signedOut : problem.isPassing ? .unreachable : .rejected
        case .insecureServer: .usage
        case .incompatible, .unsupported: .rejected
        case .signedOut: .signedOut
        // Another program answers at this address, for example a portal or a proxy.
        case .malformedAnswer: .unreachable
        case .damagedSession, .diskFull: .damaged
        case .credentialStore, .tokensLeft: .failed
        }
    }
}

extension Problem {
    /// Whether the cause is the server's present state and not the request.
    fileprivate var isPassing: Bool { status >= 500 || code == .idempotencyKeyInUse }
}

extension ServerAddress.Malformed: PersonFacing {
    public var category: Failure.Category { .usage }
}

extension NotebookError: PersonFacing {
    public var category: Failure.Category {
        switch kind {
        case .invalid: .usage
        case .notFound: .notFound
        case .conflict: .conflict
        case .refused: .rejected
        case .damaged: .damaged
        }
    }
}

extension RefusedEdit: PersonFacing {
    public var category: Failure.Category { .rejected }
}

extension RefusedText: PersonFacing {
    public var category: Failure.Category { .rejected }
}

extension InputError: PersonFacing {
    public var category: Failure.Category { .usage }
    public var message: String { description }
}

extension InvalidRecord: PersonFacing {
    public var category: Failure.Category { .usage }
    public var message: String { description }
}

extension InvalidField: PersonFacing {
    public var category: Failure.Category { .usage }
    public var message: String { description }
}

extension LocalStoreError: PersonFacing {
    public var category: Failure.Category {
        switch self {
        case .damaged, .inUse, .tooNew, .exposed, .notADirectory, .unusable, .readOnly, .diskFull: .damaged
        case .replaced, .busy, .credentialCommand: .failed
        case .otherAccount: .conflict
        case .noFile: .notFound
        case .notACache: .rejected
        }
    }
}

extension SyncFailure: PersonFacing {
    public var category: Failure.Category {
        switch self {
        case .noAccount: .signedOut
        case .busyElsewhere, .noProgress: .conflict
        case .digestMismatch, .diskFull: .damaged
        }
    }
}

extension MalformedAnswer: PersonFacing {
    public var category: Failure.Category { .unreachable }
    public var message: String {
        "The server's answer couldn't be read. Nothing was changed. Check the server's version and address."
    }
    public var diagnostic: String? { reason }
}
