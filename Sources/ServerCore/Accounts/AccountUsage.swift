public import SyncAPI

extension QuotaRules {
    /// Returns whether at least nine tenths of a limit are used.
    static func isNear(_ used: Int64, _ limit: Int64) -> Bool { used >= limit - limit / 10 }
}

extension StoredUsage {
    /// What is used of a resource; nil if that isn't stored.
    package subscript(_ resource: QuotaResource) -> Int64? {
        switch resource {
        case .records: records
        case .bytes: bytes
        case .devices: devices
        case .streams: nil
        }
    }

    /// Returns the resources of which more is used than the rules allow.
    package func exceeded(_ rules: QuotaRules) -> [QuotaResource] {
        QuotaResource.allCases.filter { resource in (self[resource] ?? 0) > rules[resource] }
    }
}

extension StoreReading {
    /// Reads all accounts, a page at a time, for stores without a query for it.
    public func quotaUse(_ rules: QuotaRules, sessions: SessionRules, now: Int64) throws -> QuotaUse {
        let page = 200
        var (near, exceeding, last) = ([QuotaResource: Int64](), Int64(0), "")
        while true {
            let accounts = try accounts(after: last, limit: page)
            for account in accounts {
                let own = rules.with(account.quota)
                let usage = try usage(of: account) { sessions.lives($0, now: now) }
                for resource in QuotaResource.allCases {
                    if let used = usage[resource], QuotaRules.isNear(used, own[resource]) {
                        near[resource, default: 0] += 1
                    }
                }
                if !usage.exceeded(own).isEmpty { exceeding += 1 }
            }
            guard accounts.count == page, let name = accounts.last?.username else {
                return QuotaUse(near: QuotaValues { near[$0] ?? 0 }, exceeding: exceeding)
            }
            last = name
        }
    }
}
