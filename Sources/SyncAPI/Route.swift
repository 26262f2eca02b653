/// Every endpoint, once for both sides: the client builds requests from it, the server's router switches over it.
public enum Route: Sendable, Equatable {
    case capabilities
    case health
    case readiness
    case register
    case logIn
    case refresh
    case logOut
    case account
    case changePassword
    case deleteAccount
    case devices
    case revokeDevice(id: String)
    case spaces
    case pullChanges(space: String)
    case pushChanges(space: String)
    case records(space: String, collection: String)
    case readRecord(space: String, collection: String, id: String)
    case replaceRecord(space: String, collection: String, id: String)
    case patchRecord(space: String, collection: String, id: String)
    case deleteRecord(space: String, collection: String, id: String)

    /// The HTTP method, in upper case.
    public var method: String {
        switch self {
        case .capabilities, .health, .readiness, .account, .devices, .spaces, .pullChanges, .records, .readRecord: "GET"
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
        case .spaces: "/v1/spaces"
        case .pullChanges(let space), .pushChanges(let space): "/v1/spaces/\(Self.segment(space))/changes"
        case .records(let space, let collection):
            "/v1/spaces/\(Self.segment(space))/records/\(Self.segment(collection))"
        case .readRecord(let space, let collection, let id), .replaceRecord(let space, let collection, let id),
            .patchRecord(let space, let collection, let id), .deleteRecord(let space, let collection, let id):
            "/v1/spaces/\(Self.segment(space))/records/\(Self.segment(collection))/\(Self.segment(id))"
        }
    }

    /// Whether the request must carry an access token.
    public var needsToken: Bool {
        switch self {
        case .capabilities, .health, .readiness, .register, .logIn, .refresh: false
        case .logOut, .account, .changePassword, .deleteAccount, .devices, .revokeDevice, .spaces, .pullChanges,
            .pushChanges, .records, .readRecord, .replaceRecord, .patchRecord, .deleteRecord:
            true
        }
    }

    /// Percent-encodes all but RFC 3986's unreserved characters, for a segment of a path or a value of a query.
    package static func segment(_ text: String) -> String {
        var encoded = ""
        for byte in text.utf8 {
            let character = Character(Unicode.Scalar(byte))
            if byte < 0x80, character.isLetter || character.isNumber || "-._~".contains(character) {
                encoded.append(character)
            } else {
                encoded += "%" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
        return encoded
    }
}
