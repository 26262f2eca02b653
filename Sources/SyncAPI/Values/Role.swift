/// What a member of a space may do.
public enum Role: String, Codable, Sendable, CaseIterable {
    /// Everything; reading and writing; reading alone.
    case owner, editor, reader

    /// Whether it may change records.
    public var mayWrite: Bool {
        switch self {
        case .owner, .editor: true
        case .reader: false
        }
    }
}
