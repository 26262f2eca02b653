/// Answer of `GET /v1/spaces`.
public struct SpaceList: WireBody, Equatable {
    /// The spaces of which the account is a member, in order of id.
    public var spaces: [Entry]

    /// A space of which the account is a member.
    public struct Entry: Codable, Sendable, Equatable {
        /// The space's id.
        public var id: String
        /// What the account may do in it.
        public var role: Role
        /// Whether it is the account's personal space.
        public var personal: Bool

        /// A membership of these parts.
        public init(id: String, role: Role, personal: Bool) {
            self.id = id
            self.role = role
            self.personal = personal
        }
    }

    /// A list of spaces.
    public init(spaces: [Entry]) { self.spaces = spaces }

    /// See `WireBody`.
    public static let schema: BodySchema = .object([
        .required(
            "spaces",
            .array(
                of: .object([.required("id", .identifier), .required("role", .role), .required("personal", .boolean)])))
    ])
}
