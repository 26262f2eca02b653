public import Records
internal import SyncAPI

/// The last states of a record that the server keeps.
public struct Revisions: Sendable, Equatable {
    /// The states, the newest first; deletions among them.
    public var records: [Record]
    /// Whether there were older ones, which the server keeps no longer.
    public var more: Bool

    public init(records: [Record], more: Bool) {
        self.records = records
        self.more = more
    }
}

extension BackendClient {
    /// A record's last states: `GET /v1/spaces/{space}/records/{collection}/{id}/revisions`.
    public func revisions(of key: RecordKey, space: String) async throws(BackendError) -> Revisions {
        let route = AuthenticatedRoute.revisions(space: space, collection: key.collection, id: key.id)
        return try Revisions(body: try await send(Call(endpoint: route)).json().body)
    }
}

extension Revisions {
    /// Reads an answer; numbers keep their text, as everywhere.
    fileprivate init(body: [UInt8]) throws(BackendError) {
        do {
            let page = try RecordPage(.revisions, body: body)
            self.init(records: try page.records.records(), more: page.more)
        } catch {
            throw .malformedAnswer("revisions: \(error.reason)")
        }
    }
}
