internal import Backend
internal import LocalStore
internal import SyncAPI

/// What a sync has come to, as far as it matters for when to sync next.
public enum SyncOutcome: Sendable, Equatable {
    /// In step with the server, up to this cursor.
    case done(cursor: String?)
    /// Another process of this home is at it.
    case busy
    /// It may succeed later, not before `retryAfter` if the server has said so.
    case failed(retryAfter: Duration?)
    /// It fails again until somebody changes something.
    case refused
    /// Somebody must sign in first.
    case signedOut
}

extension SyncOutcome {
    /// What an error of `SyncEngine.sync` means for the next try.
    public init(_ error: any Error) {
        switch error {
        case let failure as SyncFailure: self.init(failure)
        case let error as BackendError: self.init(error)
        case let error as LocalStoreError: self.init(error)
        default: self = .failed(retryAfter: nil)
        }
    }

    private init(_ failure: SyncFailure) {
        switch failure {
        case .noAccount: self = .signedOut
        case .busyElsewhere: self = .busy
        case .digestMismatch: self = .refused
        case .noProgress: self = .failed(retryAfter: nil)
        }
    }

    private init(_ error: BackendError) {
        switch error {
        case .insecureServer, .signedOut, .damagedSession: self = .signedOut
        // A certificate, a portal in between, a disk: these mend without a word to this process.
        case .transport, .malformedAnswer, .credentialStore: self = .failed(retryAfter: nil)
        case .problem(let problem, let retryAfter):
            self = error.isTransient || problem.status == 401 ? .failed(retryAfter: retryAfter) : .refused
        }
    }

    private init(_ error: LocalStoreError) {
        switch error {
        case .busy, .inUse, .diskFull, .unusable, .exposed, .readOnly: self = .failed(retryAfter: nil)
        case .damaged, .notADirectory, .noFile, .notACache, .replaced, .tooNew, .otherAccount: self = .refused
        }
    }
}
