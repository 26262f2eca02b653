internal import SyncAPI

/// The limits of what an account may use. `unlimited` as a value is no limit.
public struct QuotaRules: Sendable, Equatable {
    /// Number of live records of the personal space.
    public var records: Int64
    /// Bytes that are stored for the account: fields and clocks of records, tombstones and revisions, and the results of
    /// its last requests.
    public var bytes: Int64
    /// Number of signed-in devices and app passwords. A further log-in ends the session of the device that was unused
    /// for the longest time; a further app password is refused.
    public var devices: Int64
    /// Number of event streams that are open at once.
    public var streams: Int64

    /// The value for no limit.
    public static let unlimited = Int64.max

    /// Creates rules, by default of 1,000,000 records, 1 GiB, 100 devices and 32 streams.
    public init(records: Int64 = 1_000_000, bytes: Int64 = 1 << 30, devices: Int64 = 100, streams: Int64 = 32) {
        self.records = records
        self.bytes = bytes
        self.devices = devices
        self.streams = streams
    }

    /// Returns these rules with an account's own limits in place of those that it has.
    public func with(_ own: AccountQuota) -> QuotaRules {
        QuotaRules(
            records: own.records ?? records, bytes: own.bytes ?? bytes, devices: own.devices ?? devices,
            streams: own.streams ?? streams)
    }

    /// The rules in their form on the wire, where a missing member is no limit.
    var wire: AccountStatus.Quota {
        func limit(_ value: Int64) -> Int64? { value == Self.unlimited ? nil : value }
        return AccountStatus.Quota(
            records: limit(records), bytes: limit(bytes), devices: limit(devices), streams: limit(streams))
    }
}

/// The limits of one account, set by the server's owner. Nil: the server's limit, see `QuotaRules`.
public struct AccountQuota: Sendable, Equatable {
    /// Number of live records.
    public var records: Int64?
    /// Bytes that are stored for the account.
    public var bytes: Int64?
    /// Number of signed-in devices and app passwords.
    public var devices: Int64?
    /// Number of event streams that are open at once.
    public var streams: Int64?

    /// Creates limits, by default the server's.
    public init(records: Int64? = nil, bytes: Int64? = nil, devices: Int64? = nil, streams: Int64? = nil) {
        self.records = records
        self.bytes = bytes
        self.devices = devices
        self.streams = streams
    }
}
