public import SyncAPI

extension BackendClient {
    /// Calls an endpoint of one's own under the session, as Satchel's own calls are made: with the access token, renewed
    /// once if the server refuses it, and a refusal as `BackendError.problem`.
    ///
    /// - Parameters:
    ///   - query: names and values, not encoded.
    ///   - body: sent as JSON; nil: no body.
    ///   - answer: what the server's JSON is read as.
    public func call<Answer: Decodable & Sendable>(
        _ endpoint: some Endpoint, query: [(name: String, value: String)] = [], body: (any Encodable)? = nil,
        as answer: Answer.Type = Answer.self
    ) async throws(BackendError) -> Answer {
        var call = Call(endpoint: endpoint, query: query)
        if let body { call.body = try json(body) }
        return try await send(call).decoded(answer)
    }
}
