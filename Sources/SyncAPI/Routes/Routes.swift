/// The endpoints that need no session. New cases may be added.
public enum OpenRoute: Endpoint, CaseIterable {
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
    /// `POST /v1/sessions/reset`: creates a session with a one-time code, and sets a new password.
    case resetLogIn
    /// `POST /v1/sessions/refresh`: replaces both tokens.
    case refresh

    /// The endpoints themselves, since none has values.
    public typealias Kind = OpenRoute

    /// See `Endpoint`.
    public static let table = RouteTable<Self> { kind in
        switch kind {
        case .capabilities: .init(.get, "/v1/", .capabilities)
        case .document: .init(.get, "/v1/openapi.json", .document)
        case .health: .init(.get, "/healthz", .health)
        case .readiness: .init(.get, "/readyz", .readiness)
        case .register: .init(.post, "/v1/accounts", .register)
        case .logIn: .init(.post, "/v1/sessions", .logIn)
        case .resetLogIn: .init(.post, "/v1/sessions/reset", .resetLogIn)
        case .refresh: .init(.post, "/v1/sessions/refresh", .refresh)
        }
    }
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
    /// `PUT /v1/devices/{id}/name`: gives the device another name.
    case renameDevice(id: String)
    /// `POST /v1/account/sign-out`: ends the sessions of all devices, or of all others.
    case signOutDevices
    /// `POST /v1/account/app-passwords`: creates an app password, whose secret is in the answer only.
    case createAppPassword
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

    /// The endpoints without their values. New cases may be added.
    public enum Kind: Sendable, CaseIterable {
        /// See `AuthenticatedRoute`.
        case logOut, account, changePassword, deleteAccount, devices, revokeDevice, renameDevice,
            signOutDevices, createAppPassword
        /// See `AuthenticatedRoute`.
        case events, spaces
        /// See `AuthenticatedRoute`.
        case pullChanges, pushChanges, records, readRecord, revisions, replaceRecord, patchRecord, deleteRecord
    }

    /// See `Endpoint`.
    public static let table = RouteTable<Self> { kind in
        switch kind {
        case .logOut: .init(.delete, "/v1/sessions/current", .logOut)
        case .account: .init(.get, "/v1/account", .account)
        case .changePassword: .init(.put, "/v1/account/password", .changePassword)
        case .deleteAccount: .init(.post, "/v1/account/deletion", .deleteAccount)
        case .devices: .init(.get, "/v1/devices", .devices)
        case .revokeDevice: .init(.delete, "/v1/devices/\(.device)", Self.revokeDevice)
        case .renameDevice: .init(.put, "/v1/devices/\(.device)/name", Self.renameDevice)
        case .signOutDevices: .init(.post, "/v1/account/sign-out", .signOutDevices)
        case .createAppPassword: .init(.post, "/v1/account/app-passwords", .createAppPassword)
        case .events: .init(.get, "/v1/events", .events)
        case .spaces: .init(.get, "/v1/spaces", .spaces)
        case .pullChanges: .init(.get, "/v1/spaces/\(.space)/changes", Self.pullChanges)
        case .pushChanges: .init(.post, "/v1/spaces/\(.space)/changes", Self.pushChanges)
        case .records: .init(.get, "/v1/spaces/\(.space)/records/\(.collection)", Self.records)
        case .readRecord: .init(.get, "/v1/spaces/\(.space)/records/\(.collection)/\(.id)", Self.readRecord)
        case .revisions: .init(.get, "/v1/spaces/\(.space)/records/\(.collection)/\(.id)/revisions", Self.revisions)
        case .replaceRecord: .init(.put, "/v1/spaces/\(.space)/records/\(.collection)/\(.id)", Self.replaceRecord)
        case .patchRecord: .init(.patch, "/v1/spaces/\(.space)/records/\(.collection)/\(.id)", Self.patchRecord)
        case .deleteRecord: .init(.delete, "/v1/spaces/\(.space)/records/\(.collection)/\(.id)", Self.deleteRecord)
        }
    }

    /// See `Endpoint`.
    public var kindAndValues: (kind: Kind, values: [String]) {
        switch self {
        case .logOut: (.logOut, [])
        case .account: (.account, [])
        case .changePassword: (.changePassword, [])
        case .deleteAccount: (.deleteAccount, [])
        case .devices: (.devices, [])
        case .revokeDevice(let id): (.revokeDevice, [id])
        case .renameDevice(let id): (.renameDevice, [id])
        case .signOutDevices: (.signOutDevices, [])
        case .createAppPassword: (.createAppPassword, [])
        case .events: (.events, [])
        case .spaces: (.spaces, [])
        case .pullChanges(let space): (.pullChanges, [space])
        case .pushChanges(let space): (.pushChanges, [space])
        case .records(let space, let collection): (.records, [space, collection])
        case .readRecord(let space, let collection, let id): (.readRecord, [space, collection, id])
        case .revisions(let space, let collection, let id): (.revisions, [space, collection, id])
        case .replaceRecord(let space, let collection, let id): (.replaceRecord, [space, collection, id])
        case .patchRecord(let space, let collection, let id): (.patchRecord, [space, collection, id])
        case .deleteRecord(let space, let collection, let id): (.deleteRecord, [space, collection, id])
        }
    }
}

extension PathParameter {
    fileprivate static let device = PathParameter("device")
}

extension AuthenticatedRoute {
    /// Whether the endpoint manages the account: its password, its devices or its app passwords. An app password may not
    /// use it.
    public var managesAccount: Bool {
        switch self {
        case .changePassword, .deleteAccount, .devices, .revokeDevice, .renameDevice, .signOutDevices,
            .createAppPassword:
            true
        case .logOut, .account, .events, .spaces, .pullChanges, .pushChanges, .records, .readRecord, .revisions,
            .replaceRecord, .patchRecord, .deleteRecord:
            false
        }
    }
}
