import SyncAPI

extension BackendClient {
    /// Records changed after a cursor: `GET /v1/spaces/{space}/changes`. The answer is a page as on the wire.
    ///
    /// - Parameters:
    ///   - since: the cursor of the last answer; nil begins a first sync.
    ///   - limit: records on the page; nil leaves it to the server.
    public func pull(space: String, since: String?, limit: Int? = nil) async throws(BackendError) -> ServerAnswer {
        var call = Call(route: .pullChanges(space: space), timeout: Self.pageTimeout)
        if let since { call.query.append(("since", since)) }
        if let limit { call.query.append(("limit", String(limit))) }
        return try await send(call).json()
    }

    /// Sends mutations, and brings what others changed since the cursor in `body`: `POST /v1/spaces/{space}/changes`. The answer is
    /// as on the wire.
    ///
    /// - Parameters:
    ///   - key: the idempotency key; the same key with the same body does nothing twice.
    ///   - body: the request's JSON text, sent unchanged.
    public func push(space: String, key: String, body: [UInt8]) async throws(BackendError) -> ServerAnswer {
        let call = Call(
            route: .pushChanges(space: space), headers: [(Header.idempotencyKey, key)], body: body,
            timeout: Self.pageTimeout)
        return try await send(call).json()
    }

    /// A page has 4 MiB and a push 8 MiB at most; five minutes let them through at 30 kB a second.
    private static let pageTimeout = Duration.seconds(300)
}
