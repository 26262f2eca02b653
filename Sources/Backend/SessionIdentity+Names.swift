import SyncAPI

// For those who know no wire, such as the cache.
extension SessionIdentity {
    /// The account's user name.
    public var username: String { account.username }
    /// The id of the account's personal space.
    public var personalSpace: String { account.personalSpace }
    /// The id that this device has in clocks and sessions.
    public var deviceID: String { device.id }
}
