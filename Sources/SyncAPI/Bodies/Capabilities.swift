/// The answer of `GET /v1/`.
public struct Capabilities: WireBody, Equatable {
    /// The versions of the protocol that this package supports.
    public static let protocols = [1]

    /// The name of the software.
    public var name: String
    /// The versions of the protocol that the server supports.
    public var protocols: [Int]
    /// The names of supported parts of the protocol that are not required, see `Capability`.
    public var capabilities: [String]
    /// The rule about who may create an account.
    public var registration: Registration
    /// The limits of requests to this server.
    public var limits: Limits

    /// The rule about who may create an account. New cases may be added.
    public enum Registration: String, Codable, Sendable, CaseIterable {
        /// Open to everyone, by invitation, or to no one.
        case open, invite, closed
    }

    /// The limits of this server, in bytes and counts.
    public struct Limits: Codable, Sendable, Equatable {
        /// The size of a request's body.
        public var bodyBytes: Int
        /// The size of a record's fields.
        public var fieldsBytes: Int
        /// The number of mutations in one request.
        public var mutations: Int
        /// The number of records on one page.
        public var pageRecords: Int
        public init(bodyBytes: Int, fieldsBytes: Int, mutations: Int, pageRecords: Int) {
            self.bodyBytes = bodyBytes
            self.fieldsBytes = fieldsBytes
            self.mutations = mutations
            self.pageRecords = pageRecords
        }
    }

    public init(
        name: String, protocols: [Int], capabilities: [String], registration: Registration, limits: Limits
    ) {
        self.name = name
        self.protocols = protocols
        self.capabilities = capabilities
        self.registration = registration
        self.limits = limits
    }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required("name", .string), .required("protocols", .array(of: .integer())),
        .required("capabilities", .array(of: .string)),
        .required("registration", .string(oneOf: Registration.allCases.map(\.rawValue))),
        .required(
            "limits",
            .object([
                .required("bodyBytes", .count), .required("fieldsBytes", .count), .required("mutations", .count),
                .required("pageRecords", .count),
            ])),
    ])
}

/// The parts of the protocol that a server of version 1 need not have, by their names at `GET /v1/`. New cases may be added.
public enum Capability: String, Sendable, CaseIterable {
    /// Requests for single records, and pages of live records.
    case records
    /// The last states of a record.
    case revisions
    /// The stream of events.
    case events
    /// A log-in with a one-time code.
    case passwordReset = "password-reset"
    /// The deletion of an account by its owner.
    case accountDeletion = "account-deletion"
    /// Signing out all devices of an account, or all others.
    case signOut = "sign-out"
    /// Other names for devices.
    case deviceNames = "device-names"
    /// App passwords.
    case appPasswords = "app-passwords"
}

/// The answer of `GET /healthz` and `GET /readyz`.
package struct ServiceStatus: WireBody, Equatable {
    /// The status: `ok` or `ready`.
    package var status: Status
    /// What the owner of the server should change; nil: nothing.
    package var warnings: [String]?

    /// The status of a service.
    package enum Status: String, Codable, Sendable, CaseIterable {
        /// The process is alive.
        case ok
        /// Its storage answers requests.
        case ready
    }

    /// Creates an answer.
    package init(_ status: Status, warnings: [String] = []) {
        self.status = status
        self.warnings = warnings.isEmpty ? nil : warnings
    }

    /// See `WireBody`.
    package static let schema: BodySchema = .object([
        .required("status", .string(oneOf: Status.allCases.map(\.rawValue))),
        .optional("warnings", .array(of: .string)),
    ])
}
