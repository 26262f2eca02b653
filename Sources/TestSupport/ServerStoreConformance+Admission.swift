internal import ServerCore
internal import SyncAPI

extension ServerStoreConformance {
    private static func invite(_ id: String, createdAt: Int64 = 1, expiresAt: Int64 = 10) -> StoredInvite {
        StoredInvite(
            id: id, codeHash: Array(id.utf8), note: "a note", uses: 2, createdAt: createdAt, expiresAt: expiresAt)
    }

    /// Invitations, counted attempts and proofs of devices.
    static let admission: [ServerStoreConformance] = [
        ServerStoreConformance("an invitation is found by its code's hash, counted and removed") { store in
            try await store.write { tx in
                try tx.insert(invite("late", createdAt: 2))
                try tx.insert(invite("early", expiresAt: 5))
                try tx.countUse(ofInvite: "late")
                try tx.countUse(ofInvite: "none")
            }
            try await store.write { tx in
                var used = invite("late", createdAt: 2)
                used.used = 1
                try expect(try tx.invites(), is: [invite("early", expiresAt: 5), used], "all, the oldest first")
                try expect(try tx.invite(codeHash: Array("late".utf8)), is: used, "by its hash")
                try expect(try tx.invite(codeHash: Array("none".utf8)), is: nil, "an unknown hash")
                try tx.deleteInvites(expiredBefore: 6)
                try expect(try tx.invites().map(\.id), is: ["late"], "after the removal of expired ones")
                try expect(try tx.deleteInvite(id: "late"), is: true, "the removal of a known one")
                try expect(try tx.deleteInvite(id: "late"), is: false, "the removal of an unknown one")
            }
        },
        ServerStoreConformance("whether there is an account is known") { store in
            try await store.write { tx in
                try expect(try tx.hasAccounts(), is: false, "of an empty store")
                _ = try tx.insert(account("anna"))
                try expect(try tx.hasAccounts(), is: true, "of a store with an account")
            }
        },
        ServerStoreConformance("attempts are replaced, removed and forgotten") { store in
            let attempts = StoredAttempts(count: 2, last: 5, blockedUntil: 7, importance: .account)
            try await store.write { tx in
                try tx.put(StoredAttempts(count: 1, last: 4, blockedUntil: 5), of: "a")
                try tx.put(attempts, of: "a")
                try tx.put(StoredAttempts(count: 1, last: 9, blockedUntil: 9), of: "b")
            }
            try await store.write { tx in
                try expect(try tx.attempts(of: "a"), is: attempts, "the last ones")
                try tx.deleteAttempts(lastBefore: 6)
                try expect(try tx.attempts(of: "a"), is: nil, "forgotten ones")
                try tx.deleteAttempts(of: "b")
                try expect(try tx.attempts(of: "b"), is: nil, "removed ones")
            }
        },
        ServerStoreConformance("of too many attempts, forgotten and less important ones are removed first") { store in
            // In the order in which they are removed: the first was forgotten, the others follow by importance and end.
            let rows: [(name: String, last: Int64, blockedUntil: Int64, importance: StoredAttempts.Importance)] = [
                ("forgotten", 4, 99, .delayedWholeAccount), ("b", 10, 20, .anyone), ("a", 10, 30, .anyone),
                ("c", 10, 11, .delayedAddress), ("d", 10, 10, .account), ("e", 10, 9, .wholeAccount),
                ("f", 10, 8, .delayedWholeAccount),
            ]
            try await store.write { tx in
                for row in rows.reversed() {
                    let (last, end) = (row.last, row.blockedUntil)
                    let attempts = StoredAttempts(
                        count: 1, last: last, blockedUntil: end, importance: row.importance)
                    // A replaced row counts once.
                    for _ in 0..<2 { try tx.put(attempts, of: row.name) }
                }
            }
            for left in stride(from: rows.count, through: 0, by: -1) {
                try await store.write { tx in
                    try tx.trimAttempts(to: left, surplus: 1, forgottenBefore: 5)
                    let stored = min(rows.count, left + 1)
                    let names = try rows.map(\.name).filter { try tx.attempts(of: $0) != nil }
                    try expect(names, is: rows.suffix(stored).map(\.name), "with a surplus, down to \(left)")
                    try tx.trimAttempts(to: left, surplus: 0, forgottenBefore: 5)
                    let exact = try rows.map(\.name).filter { try tx.attempts(of: $0) != nil }
                    try expect(exact, is: rows.suffix(left).map(\.name), "without a surplus, down to \(left)")
                }
            }
        },
        ServerStoreConformance("a device has its last proof, an account its newest ones") { store in
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                for (number, device) in ["d1", "d2", "d1", "d3"].enumerated() {
                    try tx.putDeviceProof(
                        [UInt8(number)], account: "account-anna", device: device, now: Int64(number), limit: 2)
                }
            }
            try await store.write { tx in
                try expect(try tx.deviceProof(account: "account-anna", device: "d1"), is: [2], "a replaced one")
                try expect(try tx.deviceProof(account: "account-anna", device: "d2"), is: nil, "one beyond the limit")
                try expect(try tx.deviceProof(account: "account-ben", device: "d1"), is: nil, "of another account")
                try tx.deleteDeviceProof(account: "account-anna", device: "d1")
                try expect(try tx.deviceProof(account: "account-anna", device: "d1"), is: nil, "a removed one")
                for device in ["d4", "d5"] {
                    try tx.putDeviceProof([4], account: "account-anna", device: device, now: 9, limit: 9)
                }
                try tx.deleteDeviceProofs(account: "account-anna", except: "d4")
                try expect(try tx.deviceProof(account: "account-anna", device: "d4"), is: [4], "the excepted one")
                try expect(try tx.deviceProof(account: "account-anna", device: "d5"), is: nil, "one of all others")
                try tx.deleteDeviceProofs(account: "account-anna", except: nil)
                try expect(try tx.deviceProof(account: "account-anna", device: "d4"), is: nil, "one of all")
                try tx.putDeviceProof([3], account: "account-anna", device: "d3", now: 9, limit: 9)
                try expect(
                    try tx.clear(account: "account-anna", limit: RemovalLimit()), is: true, "the account is gone")
                try expect(try tx.deviceProof(account: "account-anna", device: "d3"), is: nil, "of a removed account")
            }
        },
        ServerStoreConformance("events of the owner's commands are taken once, in their order, and bounded") { store in
            @Sendable func event(_ number: Int) -> StoredAudit {
                StoredAudit(event: "an-event", at: Int64(number), fields: ["by": "carol \"x\"", "n": "\(number)"])
            }
            try await store.write { tx in
                try expect(try tx.hasAudits(), is: false, "of an empty store")
                for number in 0..<6 { try tx.insert(event(number), limit: 4) }
                try expect(try tx.hasAudits(), is: true, "of a store with some")
            }
            try await store.write { tx in
                let oldest = try tx.removeOldestAudits(limit: 3)
                try expect(oldest, is: [2, 3, 4].map(event), "the oldest of those that are kept")
            }
            try await store.write { tx in
                try expect(try tx.removeOldestAudits(limit: 3), is: [event(5)], "the rest")
                try expect(try tx.hasAudits(), is: false, "when all are taken")
                try tx.insert(event(6), limit: 4)
                try expect(try tx.removeOldestAudits(limit: 3), is: [event(6)], "a later one")
            }
        },
        ServerStoreConformance("the accounts close to their limits are counted") { store in
            let rules = QuotaRules(records: 10, bytes: 1_000, devices: 2, streams: 1)
            let none = QuotaUse(near: QuotaValues { _ in 0 }, exceeding: 0)
            let lifetimes = SessionRules(access: 10, refresh: 100, session: 1_000)
            let now: Int64 = 2_000
            try await store.write { tx in
                let empty = try tx.quotaUse(rules, sessions: lifetimes, now: now)
                try expect(empty, is: none, "without accounts")
                for (name, records, quota) in [
                    ("few", 8, AccountQuota()), ("near", 9, AccountQuota()), ("full", 10, AccountQuota()),
                    ("over", 11, AccountQuota()), ("own", 11, AccountQuota(records: 12)),
                    ("free", 11, AccountQuota(records: QuotaRules.unlimited)), ("stale", 0, AccountQuota()),
                    ("apps", 0, AccountQuota()),
                ] as [(String, Int, AccountQuota)] {
                    var stored = account(name)
                    stored.quota = quota
                    _ = try tx.insert(stored)
                    try tx.insertSpace(id: stored.personalSpace)
                    guard var space = try tx.lockSpace(stored.personalSpace) else { continue }
                    space.records = Int64(records)
                    try tx.update(space)
                }
                for device in ["d1", "d2", "d3"] {
                    try tx.put(session("few-\(device)", of: "few", device: device, createdAt: 1_950))
                }
                for name in ["stale", "apps"] {
                    try tx.put(session("\(name)-live", of: name, device: "live", createdAt: 1_950))
                }
                try tx.put(session("unused", of: "stale", device: "unused", createdAt: 1_900))
                var old = session("old", of: "stale", device: "old", createdAt: 1_000)
                old.lastSeenAt = 1_950
                try tx.put(old)
                for (name, end) in [("stale", 2_000), ("apps", 2_001)] as [(String, Int64)] {
                    var app = session("\(name)-app", of: name, device: "app", createdAt: 1)
                    app.appPassword = .init(scope: .readOnly, expiresAt: end)
                    try tx.put(app)
                }
                let near: [QuotaResource: Int64] = [.records: 4, .devices: 2]
                let use = QuotaUse(near: QuotaValues { near[$0] ?? 0 }, exceeding: 2)
                let found = try tx.quotaUse(rules, sessions: lifetimes, now: now)
                try expect(found, is: use, "by a limit's nine tenths, without expired devices")
            }
        },
        ServerStoreConformance("the limits of the server that was started last are stored") { store in
            let rules = [
                QuotaRules(records: 1, bytes: 2, devices: 3, streams: 4),
                QuotaRules(records: QuotaRules.unlimited, bytes: 5, devices: 6, streams: QuotaRules.unlimited),
            ]
            let none = try await store.read { tx in try tx.defaultQuota() }
            try expect(none, is: nil, "before a server has stored any")
            for limits in rules {
                try await store.write { tx in try tx.setDefaultQuota(limits) }
                let stored = try await store.read { tx in try tx.defaultQuota() }
                try expect(stored, is: limits, "the stored ones")
            }
        },
        ServerStoreConformance("the time of the last maintenance is stored, before it the latest of others") { store in
            try await store.write { tx in
                try expect(try tx.lastMaintenance(), is: nil, "of an empty store")
                _ = try tx.insert(account("anna"))
                try expect(try tx.lastMaintenance(), is: 1, "with an account that has never signed in")
                try tx.insert(invite("first", createdAt: 3))
                try expect(try tx.lastMaintenance(), is: 3, "with an invitation")
                try tx.put(session("a", of: "anna", device: "d1", createdAt: 5))
                try tx.put(session("b", of: "anna", device: "d2", createdAt: 9))
            }
            try await store.write { tx in
                try expect(try tx.lastMaintenance(), is: 9, "before the first maintenance")
                try tx.setLastMaintenance(7)
            }
            for moment: Int64 in [8, 1_795_000_000_000] {
                try await store.write { tx in try tx.setLastMaintenance(moment) }
                let stored = try await store.read { tx in try tx.lastMaintenance() }
                try expect(stored, is: moment, "the last time")
            }
            for doubt in [ClockDoubt(text: "5 -6 7"), ClockDoubt(text: "8 9 0"), nil] {
                try await store.write { tx in try tx.setClockDoubt(doubt) }
                let stored = try await store.read { tx in try tx.clockDoubt() }
                try expect(stored, is: doubt, "the last doubt")
            }
        },
    ]
}
