internal import Backend
internal import LocalStore
internal import Records
internal import SyncAPI

/// The next request of a sync, decided from what the cache holds and what this run has done.
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
    /// Everything is sent and received.
    case nothing

    /// - Parameters:
    ///   - hasSendable: Whether the outbox has records that may be sent.
    ///   - readAgain: Why a full read is needed; nil: none is.
    ///   - seen: How far the last answer of this run had the changes of others; nil: there was no request yet.
    static func decide(
        batch: Batch?, state: SpaceState, hasSendable: Bool, readAgain: FullRead.Reason? = nil, seen: Seen?
    ) -> NextRequest {
        // Its outcome must be known before anything else changes the state on which it is based.
        if let batch { return .resend(batch) }
        if let read = state.reading.flatMap(FullRead.init(json:)) { return .read(read, from: state.cursor) }
        guard let cursor = state.cursor else { return .read(.first, from: nil) }
        // The full read has no cursor, so a pull with the cursor must first show whether the server was restored.
        if let readAgain { return seen == .all ? .readAgain(readAgain) : .pull(since: cursor) }
        // The changes of others come first: edits of the same records would only conflict.
        if hasSendable, seen != .part { return .push(since: cursor) }
        return seen == .all ? .nothing : .pull(since: cursor)
    }

    /// How far the changes of others were received.
    enum Seen {
        case part, all
    }
}

/// The meaning of a refused request for the sync.
enum Refusal: Equatable {
    /// Everything must be read again.
    case read(FullRead)
    /// Smaller batches are to be sent; a record that is refused alone is at fault.
    case split(Rejection)
    /// The caller must handle the error; a batch stays in flight unless the answer was final.
    case fail(isFinal: Bool)

    static func of(_ error: BackendError, isPush: Bool) -> Refusal {
        guard case .problem(let problem, _) = error else { return .fail(isFinal: false) }
        switch (problem.status, problem.code) {
        case (410, .epochChanged): return .read(.restored(shared: problem.extensions["shared"]?.integer ?? 0))
        case (410, .cursorExpired), (400, .invalidCursor): return .read(.resync(.cursorExpired))
        // Without its code, the answer may mean a restore; any other assumption could lose edits.
        case (410, _): return .fail(isFinal: false)
        // Other refusals are of the request, not of a record in it: halving would set all records aside in the end.
        case (413, _), (422, .invalidBody): return isPush ? .split(Rejection(problem)) : .fail(isFinal: true)
        // Not final (SyncAPI.docc/Protocol.md, "Duties of a client").
        case (401, _), (408, _), (409, _), (429, _): return .fail(isFinal: false)
        case (let status, _): return .fail(isFinal: (400..<500).contains(status))
        }
    }
}
