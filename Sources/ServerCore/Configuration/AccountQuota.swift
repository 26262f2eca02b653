internal import Records
public import SyncAPI

/// The limits of what an account may use. `unlimited` as a value is no limit.
public typealias QuotaRules = QuotaValues<Int64>

/// The limits of one account, set by the server's owner. Nil: the server's limit, see `QuotaRules`.
public typealias AccountQuota = QuotaValues<Int64?>

extension QuotaValues where Value == Int64 {
    /// The value for no limit.
    public static var unlimited: Int64 { .max }

    /// Creates rules, by default of 1,000,000 records, 1 GiB, 100 devices and 32 streams.
    public init(records: Int64 = 1_000_000, bytes: Int64 = 1 << 30, devices: Int64 = 100, streams: Int64 = 32) {
        self.init { _ in Self.unlimited }
        (self.records, self.bytes, self.devices, self.streams) = (records, bytes, devices, streams)
    }

    /// Returns these rules with an account's own limits in place of those that it has.
    public func with(_ own: AccountQuota) -> QuotaRules { QuotaRules { own[$0] ?? self[$0] } }

    /// The rules as a JSON object, as stores keep them. A missing member is no limit.
    package var text: String {
        let limits = QuotaResource.allCases.filter { self[$0] != Self.unlimited }
        return JSONValue.object(JSONObject(limits.map { ($0.rawValue, JSONValue.integer(self[$0])) })).text
    }

    /// Creates rules of a stored text.
    ///
    /// - Throws: If the text isn't JSON.
    package init(text: String) throws {
        let members = try JSONValue(parsing: Array(text.utf8)).object ?? [:]
        self.init { members[$0.rawValue]?.integer ?? Self.unlimited }
    }

    /// The rules in their form on the wire, where a missing member is no limit.
    var wire: AccountStatus.Quota { AccountStatus.Quota { self[$0] == Self.unlimited ? nil : self[$0] } }
}
