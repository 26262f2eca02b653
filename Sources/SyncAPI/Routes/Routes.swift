/// The endpoints that need no session. New cases may be added.
public enum OpenRoute: Endpoint, Equatable {
    /// `GET /v1/`: the name, capabilities and limits of the server.
    case capabilities
    /// `GET /v1/openapi.json`: the OpenAPI document of the server.
    case document
    /// `GET /healthz`: the process is alive.
    case health
    /// `GET /readyz`: its storage answers and has room.
    case readiness
    /// `POST /v1/accounts`: creates an account and a session.
    case register
    /// `POST /v1/sessions`: creates a session.
    case logIn
    /// `POST /v1/sessions/refresh`: replaces both tokens.
    case refresh

    /// See `Endpoint`.
    public var request: RequestLine {
        switch self {
        case .capabilities: .get("/v1/")
        case .document: .get("/v1/openapi.json")
        case .health: .get("/healthz")
        case .readiness: .get("/readyz")
        case .register: .post("/v1/accounts")
        case .logIn: .post("/v1/sessions")
        case .refresh: .post("/v1/sessions/refresh")
        }
    }

    /// See `Endpoint`.
    public static let table = RouteTable<Self>([
        { _ in .capabilities }, { _ in .document }, { _ in .health }, { _ in .readiness },
        { _ in .register }, { _ in .logIn }, { _ in .refresh },
    ])
}

/// The endpoints that need an access token. The server's handler receives the caller of the token. New cases may be
/// added.
public enum AuthenticatedRoute: Endpoint, Equatable {
    /// `DELETE /v1/sessions/current`: ends the session of the token.
    case logOut
    /// `GET /v1/account`: the account, its usage and quota.
    case account
    /// `PUT /v1/account/password`: ends every other session of the account.
    case changePassword
    /// `POST /v1/account/deletion`: deletes the account and its personal space.
    case deleteAccount
    /// `GET /v1/devices`: the account's devices.
    case devices
    /// `DELETE /v1/devices/{id}`: ends the device's sessions at once.
    case revokeDevice(id: String)
    /// `GET /v1/events`: a stream that reports changes in all spaces of the account.
    case events
    /// `GET /v1/spaces`: the spaces of which the account is a member.
    case spaces
    /// `GET /v1/spaces/{space}/changes`: the changes after a cursor.
    case pullChanges(space: String)
    /// `POST /v1/spaces/{space}/changes`: applies mutations in one transaction.
    case pushChanges(space: String)
    /// `GET /v1/spaces/{space}/records/{collection}`: live records, page by page.
    case records(space: String, collection: String)
    /// `GET` of one record, with its version as `ETag`.
    case readRecord(space: String, collection: String, id: String)
    /// `GET`: the states of the record, the newest first.
    case revisions(space: String, collection: String, id: String)
    /// `PUT`: replaces the record's fields with those of the body.
    case replaceRecord(space: String, collection: String, id: String)
    /// `PATCH`: changes fields by a JSON merge patch (RFC 7396).
    case patchRecord(space: String, collection: String, id: String)
    /// `DELETE`: replaces the record with a tombstone.
    case deleteRecord(space: String, collection: String, id: String)

    /// See `Endpoint`.
    public var request: RequestLine {
        switch self {
        case .logOut: .delete("/v1/sessions/current")
        case .account: .get("/v1/account")
        case .changePassword: .put("/v1/account/password")
        case .deleteAccount: .post("/v1/account/deletion")
        case .devices: .get("/v1/devices")
        case .revokeDevice(let id): .delete("/v1/devices/\(id)")
        case .events: .get("/v1/events")
        case .spaces: .get("/v1/spaces")
        case .pullChanges(let space): .get("/v1/spaces/\(space)/changes")
        case .pushChanges(let space): .post("/v1/spaces/\(space)/changes")
        case .records(let space, let collection): .get("/v1/spaces/\(space)/records/\(collection)")
        case .readRecord(let space, let collection, let id): .get("/v1/spaces/\(space)/records/\(collection)/\(id)")
        case .revisions(let space, let collection, let id):
            .get("/v1/spaces/\(space)/records/\(collection)/\(id)/revisions")
        case .replaceRecord(let space, let collection, let id): .put("/v1/spaces/\(space)/records/\(collection)/\(id)")
        case .patchRecord(let space, let collection, let id): .patch("/v1/spaces/\(space)/records/\(collection)/\(id)")
        case .deleteRecord(let space, let collection, let id):
            .delete("/v1/spaces/\(space)/records/\(collection)/\(id)")
        }
    }

    /// The space that the request reads or changes; nil if there is none, or several.
    public var access: SpaceAccess? {
        switch self {
        case .logOut, .account, .changePassword, .deleteAccount, .devices, .revokeDevice, .events, .spaces: nil
        case .pullChanges(let space), .records(let space, _), .readRecord(let space, _, _),
            .revisions(let space, _, _):
            SpaceAccess(space: space, isWriting: false)
        case .pushChanges(let space), .replaceRecord(let space, _, _), .patchRecord(let space, _, _),
            .deleteRecord(let space, _, _):
            SpaceAccess(space: space, isWriting: true)
        }
    }

    /// See `Endpoint`.
    public static let table = RouteTable<Self>([
        { _ in .logOut }, { _ in .account }, { _ in .changePassword }, { _ in .deleteAccount },
        { _ in .devices }, { .revokeDevice(id: $0[0]) }, { _ in .events }, { _ in .spaces },
        { .pullChanges(space: $0[0]) }, { .pushChanges(space: $0[0]) },
        { .records(space: $0[0], collection: $0[1]) },
        { .readRecord(space: $0[0], collection: $0[1], id: $0[2]) },
        { .revisions(space: $0[0], collection: $0[1], id: $0[2]) },
        { .replaceRecord(space: $0[0], collection: $0[1], id: $0[2]) },
        { .patchRecord(space: $0[0], collection: $0[1], id: $0[2]) },
        { .deleteRecord(space: $0[0], collection: $0[1], id: $0[2]) },
    ])
}

/// The access of a request to a space. The server checks the caller's role before it reads the request's body.
public struct SpaceAccess: Sendable, Equatable {
    /// The space's id.
    public let space: String
    /// Whether the request changes the space, for which a role is required.
    public let isWriting: Bool
}
