public import Records
internal import SyncAPI

extension BackendClient {
    /// The size of the largest answer that a transport has to receive whole, in bytes: `Limits.largestAnswer`.
    public static let largestAnswer = Limits.largestAnswer

    /// Returns the records that changed after a cursor: `GET /v1/spaces/{space}/changes`. The answer is a page as on
    /// the wire.
    ///
    /// - Parameters:
    ///   - collections: The collections to receive; the page and its digest cover only their records.
    ///   - since: The cursor of the last answer; nil begins a first sync.
    ///   - limit: The number of records on the page; nil leaves it to the server.
    public func pull(
        space: String, collections: CollectionSet = .all, since: String?, limit: Int? = nil
    ) async throws(BackendError) -> BackendAnswer {
        try await send(Self.page(of: space, collections, since: since, limit: limit)).json()
    }

    /// Returns the same as `pull`, for a page that is too large to be received whole: the body is streamed, without a
    /// size limit.
    public func pullInPieces(
        space: String, collections: CollectionSet = .all, since: String?, limit: Int? = nil
    ) async throws(BackendError) -> HTTPStream {
        var call = Self.page(of: space, collections, since: since, limit: limit)
        // The timeout of a stream is the longest time without a byte.
        call.timeout = Self.answerSilence
        let stream = try await stream(call)
        // The media type is checked before anything of the body is read.
        _ = try BackendAnswer(head: stream.head, body: []).json()
        return stream
    }

    private static func page(of space: String, _ collections: CollectionSet, since: String?, limit: Int?) -> Call {
        var call = Call(endpoint: AuthenticatedRoute.pullChanges(space: space), timeout: pageTimeout)
        if let since { call.query.append(("since", since)) }
        if let limit { call.query.append(("limit", String(limit))) }
        call.query += query(of: collections)
        return call
    }

    private static func query(of collections: CollectionSet) -> [(String, String)] {
        collections.text.map { [("collections", $0)] } ?? []
    }

    /// Sends mutations, and returns what others changed since the cursor in `body`: `POST /v1/spaces/{space}/changes`.
    /// The answer is as on the wire.
    ///
    /// - Parameters:
    ///   - collections: The collections whose changes the answer contains; mutations may be of any collection.
    ///   - key: The idempotency key; the same key with the same body does nothing twice.
    ///   - body: The request's JSON text, which is sent unchanged.
    public func push(
        space: String, collections: CollectionSet = .all, key: String, body: [UInt8]
    ) async throws(BackendError) -> BackendAnswer {
        var call = Call(
            endpoint: AuthenticatedRoute.pushChanges(space: space), headers: [(Header.idempotencyKey, key)], body: body,
            timeout: Self.pageTimeout)
        call.query += Self.query(of: collections)
        return try await send(call).json()
    }

    /// Five minutes: enough for a push of 8 MiB at 30 kB a second; a page has about 4 MiB.
    private static let pageTimeout = Duration.seconds(300)
}

/// The last states of a record that the server keeps.
public struct Revisions: Sendable, Equatable {
    /// The states, the newest first, including deletions.
    public var records: [Record]
    /// Whether there may be older states: the answer doesn't contain them, or the server has removed them.
    public var more: Bool

    public init(records: [Record], more: Bool) {
        self.records = records
        self.more = more
    }
}

extension BackendClient {
    /// Returns a record's last states: `GET /v1/spaces/{space}/records/{collection}/{id}/revisions`.
    public func revisions(of key: RecordKey, space: String) async throws(BackendError) -> Revisions {
        let route = AuthenticatedRoute.revisions(space: space, collection: key.collection, id: key.id)
        return try Revisions(body: try await send(Call(endpoint: route)).json().body)
    }
}

extension Revisions {
    /// Parses an answer; numbers keep their text.
    fileprivate init(body: [UInt8]) throws(BackendError) {
        do {
            let page = try RecordPage(.revisions, body: body)
            let records = try page.records.records()
            // As many as the server keeps: older ones may have been removed.
            self.init(records: records, more: page.more || page.kept.map { records.count >= $0 } ?? false)
        } catch {
            throw .malformedAnswer("revisions: \(error.reason)")
        }
    }
}
