/// An invitation as it is stored. Moments are in milliseconds since 1970.
public struct StoredInvite: Sendable, Equatable {
    /// A short name by which the owner withdraws it; it doesn't allow a registration.
    public var id: String
    /// SHA-256 of the code, see `ReadableCode`.
    public var codeHash: [UInt8]
    /// The owner's words about it, for instance for whom it is; may be empty.
    public var note: String
    /// Number of accounts that may be created with it.
    public var uses: Int64
    /// Number of accounts that were created with it.
    public var used: Int64
    /// The moment at which it was made.
    public var createdAt: Int64
    /// The moment from which it isn't valid any more.
    public var expiresAt: Int64

    /// Creates an invitation of these parts.
    public init(
        id: String, codeHash: [UInt8], note: String, uses: Int64, used: Int64 = 0, createdAt: Int64, expiresAt: Int64
    ) {
        self.id = id
        self.codeHash = codeHash
        self.note = note
        self.uses = uses
        self.used = used
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }

    /// Returns whether an account can be created with it.
    public func isUsable(now: Int64) -> Bool { used < uses && now < expiresAt }
}
