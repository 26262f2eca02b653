import SyncAPI

/// What the server can be asked in addition to Satchel's own endpoints.
public enum CountRoute: Endpoint {
    /// `GET /v1/spaces/{space}/counts/{collection}`: how many live records a collection has.
    case count(space: String, collection: String)

    public var request: RequestLine {
        switch self {
        case .count(let space, let collection): .get("/v1/spaces/\(space)/counts/\(collection)")
        }
    }

    public static let table = RouteTable<Self>([
        { .count(space: $0[0], collection: $0[1]) }
    ])
}

/// The answer.
public struct Count: Codable, Equatable, Sendable {
    public var count: Int

    public init(count: Int) { self.count = count }
}
