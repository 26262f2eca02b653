/// Answer of `GET /v1/`.
public struct Capabilities: WireBody, Equatable {
    /// The software's name.
    public var name: String
    /// The versions of the protocol that the server speaks.
    public var protocols: [Int]
    /// What it can do beyond the protocol's required parts, by name.
    public var capabilities: [String]
    /// Who may create an account here.
    public var registration: Registration
    /// What requests to this server may hold.
    public var limits: Limits

    /// Who may register.
    public enum Registration: String, Codable, Sendable, CaseIterable {
        /// Everyone can register; people with an invitation can; no one can.
        case open, invite, closed
    }

    /// The limits of this server, in bytes and counts.
    public struct Limits: Codable, Sendable, Equatable {
        /// A request's body.
        public var bodyBytes: Int
        /// A record's fields.
        public var fieldsBytes: Int
        /// Mutations in one request.
        public var mutations: Int
        /// Records on one page.
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

/// Answer of `GET /healthz` and `GET /readyz`.
package struct ServiceStatus: WireBody, Equatable {
    /// `ok` or `ready`.
    package var status: Status

    /// What a service is.
    package enum Status: String, Codable, Sendable, CaseIterable {
        /// The process is alive.
        case ok
        /// Its storage answers.
        case ready
    }

    /// A service of this status.
    package init(_ status: Status) { self.status = status }

    /// See `WireBody`.
    package static let schema: BodySchema = .object([
        .required("status", .string(oneOf: Status.allCases.map(\.rawValue)))
    ])
}
