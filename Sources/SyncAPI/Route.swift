/// Every endpoint, once for both sides: the client builds requests from it, the server's router switches over it.
public enum Route: Endpoint, Equatable {
    /// `GET /v1/`: what this server is and takes.
    case capabilities
    /// `GET /healthz`: the process is alive.
    case health
    /// `GET /readyz`: its storage answers.
    case readiness
    /// `POST /v1/accounts`: makes an account and a session.
    case register
    /// `POST /v1/sessions`: makes a session.
    case logIn
    /// `POST /v1/sessions/refresh`: both tokens anew.
    case refresh
    /// `DELETE /v1/sessions/current`: ends the session of the token.
    case logOut
    /// `GET /v1/account`: the account, its usage and quota.
    case account
    /// `PUT /v1/account/password`: ends every other session of the account.
    case changePassword
    /// `POST /v1/account/deletion`: the account and its personal space are gone.
    case deleteAccount
    /// `GET /v1/devices`: the account's devices.
    case devices
    /// `DELETE /v1/devices/{id}`: ends the device's sessions at once.
    case revokeDevice(id: String)
    /// `GET /v1/events`: a stream that tells of changes in all spaces of the account.
    case events
    /// `GET /v1/spaces`: the spaces of which the account is a member.
    case spaces
    /// `GET /v1/spaces/{space}/changes`: what changed after a cursor.
    case pullChanges(space: String)
    /// `POST /v1/spaces/{space}/changes`: mutations, in one transaction.
    case pushChanges(space: String)
    /// `GET /v1/spaces/{space}/records/{collection}`: live records, page by page.
    case records(space: String, collection: String)
    /// `GET` of one record, with its version as `ETag`.
    case readRecord(space: String, collection: String, id: String)
    /// `GET`: what the record was at its last changes, the newest first.
    case revisions(space: String, collection: String, id: String)
    /// `PUT`: the record's fields become those of the body.
    case replaceRecord(space: String, collection: String, id: String)
    /// `PATCH`: the fields are changed by a JSON merge patch (RFC 7396).
    case patchRecord(space: String, collection: String, id: String)
    /// `DELETE`: leaves a tombstone.
    case deleteRecord(space: String, collection: String, id: String)

    /// The HTTP method, in upper case.
    public var method: String {
        switch self {
        case .capabilities, .health, .readiness, .account, .devices, .events, .spaces, .pullChanges, .records,
            .readRecord, .revisions:
            "GET"
        case .register, .logIn, .refresh, .deleteAccount, .pushChanges: "POST"
        case .changePassword, .replaceRecord: "PUT"
        case .patchRecord: "PATCH"
        case .logOut, .revokeDevice, .deleteRecord: "DELETE"
        }
    }

    /// The path, each variable part percent-encoded (RFC 3986), without a query.
    public var path: String {
        switch self {
        case .capabilities: "/v1/"
        case .health: "/healthz"
        case .readiness: "/readyz"
        case .register: "/v1/accounts"
        case .logIn: "/v1/sessions"
        case .refresh: "/v1/sessions/refresh"
        case .logOut: "/v1/sessions/current"
        case .account: "/v1/account"
        case .changePassword: "/v1/account/password"
        case .deleteAccount: "/v1/account/deletion"
        case .devices: "/v1/devices"
        case .revokeDevice(let id): "/v1/devices/\(Self.segment(id))"
        case .events: "/v1/events"
        case .spaces: "/v1/spaces"
        case .pullChanges(let space), .pushChanges(let space): "/v1/spaces/\(Self.segment(space))/changes"
        case .records(let space, let collection):
            "/v1/spaces/\(Self.segment(space))/records/\(Self.segment(collection))"
        case .readRecord(let space, let collection, let id), .replaceRecord(let space, let collection, let id),
            .patchRecord(let space, let collection, let id), .deleteRecord(let space, let collection, let id):
            "/v1/spaces/\(Self.segment(space))/records/\(Self.segment(collection))/\(Self.segment(id))"
        case .revisions(let space, let collection, let id):
            Route.readRecord(space: space, collection: collection, id: id).path + "/revisions"
        }
    }

    /// Every route, made from the variable parts of its path.
    public static let table = RouteTable<Route>([
        { _ in .capabilities }, { _ in .health }, { _ in .readiness },
        { _ in .register }, { _ in .logIn }, { _ in .refresh }, { _ in .logOut },
        { _ in .account }, { _ in .changePassword }, { _ in .deleteAccount },
        { _ in .devices }, { .revokeDevice(id: $0[0]) },
        { _ in .events }, { _ in .spaces }, { .pullChanges(space: $0[0]) }, { .pushChanges(space: $0[0]) },
        { .records(space: $0[0], collection: $0[1]) },
        { .readRecord(space: $0[0], collection: $0[1], id: $0[2]) },
        { .revisions(space: $0[0], collection: $0[1], id: $0[2]) },
        { .replaceRecord(space: $0[0], collection: $0[1], id: $0[2]) },
        { .patchRecord(space: $0[0], collection: $0[1], id: $0[2]) },
        { .deleteRecord(space: $0[0], collection: $0[1], id: $0[2]) },
    ])
}
