/// Answer of `GET /v1/devices`.
public struct DeviceList: WireBody, Equatable {
    /// Every device with a living session.
    public var devices: [Entry]

    /// A signed-in device.
    public struct Entry: Codable, Sendable, Equatable {
        /// The id for revoking it.
        public var id: String
        /// The name that it signed in with.
        public var name: String
        /// When it signed in: RFC 3339 in UTC.
        public var createdAt: String
        /// When it asked for something the last time: RFC 3339 in UTC.
        public var lastSeenAt: String
        /// Whether it is the one that asks.
        public var current: Bool
        public init(id: String, name: String, createdAt: String, lastSeenAt: String, current: Bool) {
            self.id = id
            self.name = name
            self.createdAt = createdAt
            self.lastSeenAt = lastSeenAt
            self.current = current
        }
    }

    public init(devices: [Entry]) { self.devices = devices }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required(
            "devices",
            .array(
                of: .object([
                    .required("id", .identifier), .required("name", .deviceName), .required("createdAt", .moment),
                    .required("lastSeenAt", .moment), .required("current", .boolean),
                ])))
    ])
}
