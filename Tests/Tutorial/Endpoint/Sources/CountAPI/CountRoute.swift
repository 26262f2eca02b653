import SyncAPI

/// What the server can be asked in addition to Satchel's own endpoints.
public enum CountRoute: Endpoint {
    /// `GET /v1/spaces/{space}/counts/{collection}`: how many live records a collection has.
    case count(space: String, collection: String)

    public enum Kind: CaseIterable, Sendable {
        case count
    }

    public static let table = RouteTable<Self> { kind in
        switch kind {
        case .count: .init(.get, "/v1/spaces/\(.space)/counts/\(.collection)", Self.count)
        }
    }

    public var kindAndValues: (kind: Kind, values: [String]) {
        switch self {
        case .count(let space, let collection): (.count, [space, collection])
        }
    }
}

/// The answer.
public struct Count: Codable, Equatable, Sendable {
    public var count: Int

    public init(count: Int) { self.count = count }
}
