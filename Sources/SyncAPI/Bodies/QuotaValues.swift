/// What the quota of an account limits. The raw value is the name on the wire, in the configuration and in metrics. New
/// cases may be added.
public enum QuotaResource: String, CodingKey, CaseIterable, Sendable {
    /// Live records, without tombstones.
    case records
    /// The bytes that the server stores for the account: fields and clocks of records, deleted ones included, and of their
    /// revisions, and the outcomes of its last requests.
    case bytes
    /// Signed-in devices and app passwords. A further log-in ends the session of the device that was unused for the longest
    /// time; a further app password is refused.
    case devices
    /// Event streams that are open at once.
    case streams
}

/// A value for each `QuotaResource`: limits, or numbers of accounts.
public struct QuotaValues<Value: Sendable>: Sendable {
    /// See `QuotaResource`.
    public var records, bytes, devices, streams: Value

    /// Creates the values that a function returns.
    public init(each value: (QuotaResource) throws -> Value) rethrows {
        records = try value(.records)
        bytes = try value(.bytes)
        devices = try value(.devices)
        streams = try value(.streams)
    }

    /// The value of a resource.
    public subscript(_ resource: QuotaResource) -> Value {
        switch resource {
        case .records: records
        case .bytes: bytes
        case .devices: devices
        case .streams: streams
        }
    }
}

extension QuotaValues: Equatable where Value: Equatable {}

extension QuotaValues where Value == Int64? {
    /// Creates limits, by default none.
    public init(records: Int64? = nil, bytes: Int64? = nil, devices: Int64? = nil, streams: Int64? = nil) {
        self.init { _ in nil }
        (self.records, self.bytes, self.devices, self.streams) = (records, bytes, devices, streams)
    }
}

/// On the wire, a missing member is no limit.
extension QuotaValues: Codable where Value == Int64? {
    /// Reads the members that are present.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: QuotaResource.self)
        try self.init { try members.decodeIfPresent(Int64.self, forKey: $0) }
    }

    /// Writes the members that aren't nil.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: QuotaResource.self)
        for resource in QuotaResource.allCases { try members.encodeIfPresent(self[resource], forKey: resource) }
    }

    /// The form of an object with these members.
    static var schema: BodySchema { .object(QuotaResource.allCases.map { .optional($0.rawValue, .count) }) }
}
