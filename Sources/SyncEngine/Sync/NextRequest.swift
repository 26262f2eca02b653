internal import Backend
internal import LocalStore
internal import Records
internal import SyncAPI

/// What a sync sends next: decided from what the cache holds and what this run has done.
enum NextRequest: Sendable, Equatable {
    /// The batch in flight, unchanged: before anything else.
    case resend(Batch)
    /// The next page of a full read.
    case read(FullRead, from: String?)
    /// A new batch from the outbox.
    case push(since: String)
    /// The changes of others.
    case pull(since: String)
    /// The start of another full read. Nothing is in flight, and the server has confirmed the cursor.
    case readAgain(FullRead.Reason)
    /// All is sent, all is seen.
    case nothing

    /// - Parameters:
    ///   - hasSendable: whether the outbox holds what may be sent.
    ///   - readAgain: why a full read is needed; nil: none is.
    ///   - seen: what the last answer of this run said of the changes of others; nil: there was no request yet.
    static func decide(
        batch: Batch?, state: SpaceState, hasSendable: Bool, readAgain: FullRead.Reason? = nil, seen: Seen?
    ) -> NextRequest {
        if let batch { return .resend(batch) }
        if let read = state.reading.flatMap(FullRead.init(json:)) { return .read(read, from: state.cursor) }
        guard let cursor = state.cursor else { return .read(.first, from: nil) }
        if let readAgain { return seen == .all ? .readAgain(readAgain) : .pull(since: cursor) }
        // What waits to be seen comes first: edits of it would only conflict.
        if hasSendable, seen != .part { return .push(since: cursor) }
        return seen == .all ? .nothing : .pull(since: cursor)
    }

    /// How far the changes of others have been seen.
    enum Seen {
        case part, all
    }
}

/// What a refused request means for the sync.
enum Refusal: Equatable {
    /// Everything must be read again.
    case read(FullRead)
    /// Smaller batches; the last record of which one was refused alone is at fault.
    case split(Rejection)
    /// The caller must know; a batch stays in flight unless the answer was final.
    case fail(isFinal: Bool)

    static func of(_ error: BackendError, isPush: Bool) -> Refusal {
        guard case .problem(let problem, _) = error else { return .fail(isFinal: false) }
        switch (problem.status, problem.code) {
        case (410, .epochChanged): return .read(.restored(shared: problem.extensions["shared"]?.integer ?? 0))
        case (410, .cursorExpired), (400, .invalidCursor): return .read(.resync(.cursorExpired))
        // A reason that got lost on the way might have been a restore; any other assumption could lose edits.
        case (410, _): return .fail(isFinal: false)
        // Other refusals are of the request, not of a record in it: halving would set all records aside in the end.
        case (413, _), (422, .invalidBody): return isPush ? .split(Rejection(problem)) : .fail(isFinal: true)
        case (401, _), (408, _), (409, _), (429, _): return .fail(isFinal: false)
        case (let status, _): return .fail(isFinal: (400..<500).contains(status))
        }
    }
}
