internal import Records
internal import SyncAPI

/// Handlers for the changes of a space.
extension SyncServer {
    func pull(_ space: String, _ request: ServerRequest, _ caller: Caller) async throws -> ServerAnswer {
        let limit = try request.limit(maximum: configuration.limits.pageRecords)
        let page = try await changes.pull(
            caller, space: space, since: request.query("since"), limit: limit, hold: request.hold)
        return .json(page.body)
    }

    func push(_ space: String, _ request: ServerRequest, _ caller: Caller) async throws -> ServerAnswer {
        guard let key = request.header(Header.idempotencyKey) else { throw Problem.keyMissing }
        guard Self.isUUID(key) else {
            throw Problem.invalidRequest("an idempotency key is a UUID, 32 hex digits in groups of 8-4-4-4-12")
        }
        let body = try await request.bytes(limit: configuration.limits.bodyBytes)
        let push = try PushRequest(checking: JSONValue(body: body), maximum: configuration.limits.mutations)
        return .json(
            try await changes.push(caller, space: space, key: key, body: body, request: push, hold: request.hold))
    }

    /// Whether the text is a UUID of any version (RFC 9562 section 4).
    private static func isUUID(_ text: String) -> Bool {
        let groups = text.split(separator: "-", omittingEmptySubsequences: false)
        return groups.map(\.utf8.count) == [8, 4, 4, 4, 12]
            && groups.joined().utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    }
}
