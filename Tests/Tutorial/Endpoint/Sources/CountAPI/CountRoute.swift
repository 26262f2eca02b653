import SyncAPI

/// What the server can be asked beside Satchel's own.
public enum CountRoute: Endpoint {
    /// `GET /v1/spaces/{space}/counts/{collection}`: how many live records a collection has.
    case count(space: String, collection: String)

    public var method: String {
        switch self {
        case .count: "GET"
        }
    }

    public var path: String {
        switch self {
        case .count(let space, let collection):
            "/v1/spaces/\(Self.segment(space))/counts/\(Self.segment(collection))"
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
