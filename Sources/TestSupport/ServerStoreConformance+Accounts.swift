internal import ServerCore
internal import SyncAPI

extension ServerStoreConformance {
    static let accounts: [ServerStoreConformance] = [
        ServerStoreConformance("an account is found by id and by name, and a name is given once") { store in
            try await store.write { tx in
                try expect(try tx.insert(account("anna")), is: true, "a free name")
                var other = account("anna")
                other.id = "another"
                try expect(try tx.insert(other), is: false, "a taken name")
                try expect(try tx.account(id: "another"), is: nil, "the refused account")
                try tx.setPasswordHash("new", account: "account-anna")
            }
            try await store.read { tx in
                var expected = account("anna")
                expected.passwordHash = "new"
                try expect(try tx.account(id: "account-anna"), is: expected, "by id")
                try expect(try tx.account(username: "anna"), is: expected, "by name")
                try expect(try tx.account(username: "ben"), is: nil, "an unknown name")
            }
        },
        ServerStoreConformance("what the owner sets of an account is kept, and goes with it") { store in
            let quota = AccountQuota(records: 1, bytes: nil, devices: QuotaRules.unlimited, streams: 4)
            let reset = StoredReset(account: "account-anna", codeHash: [1, 2], expiresAt: 5)
            let later = StoredReset(account: "account-anna", codeHash: [3], expiresAt: 6)
            try await store.write { tx in
                for name in ["anna", "ben"] { _ = try tx.insert(account(name)) }
                try tx.setDisabled(7, account: "account-anna")
                try tx.setQuota(quota, account: "account-anna")
                try tx.put(reset)
                try expect(try tx.reset(account: "account-anna"), is: reset, "the code")
                try tx.put(later)
            }
            try await store.read { tx in
                let anna = try tx.account(id: "account-anna")
                try expect(anna?.disabledAt, is: 7, "disabled")
                try expect(anna?.quota, is: quota, "the limits")
                try expect(try tx.reset(account: "account-anna"), is: later, "the later code")
                try expect(try tx.account(id: "account-ben"), is: account("ben"), "another account")
                try expect(try tx.reset(account: "account-ben"), is: nil, "another's code")
            }
            try await store.write { tx in
                try tx.setDisabled(nil, account: "account-anna")
                try expect(try tx.account(id: "account-anna")?.disabledAt, is: nil, "enabled again")
                try tx.deleteReset(account: "account-ben")
                try expect(try tx.reset(account: "account-anna"), is: later, "after another's was removed")
                try expect(try tx.clear(account: "account-anna", limit: RemovalLimit()), is: true, "removed")
                try expect(try tx.reset(account: "account-anna"), is: nil, "the code of a removed account")
            }
        },
        ServerStoreConformance("accounts are listed in order of their names, page by page") { store in
            try await store.write { tx in
                for name in ["ben", "anna", "cleo"] { _ = try tx.insert(account(name)) }
            }
            try await store.read { tx in
                func names(after name: String, _ limit: Int) throws -> [String] {
                    try tx.accounts(after: name, limit: limit).map(\.username)
                }
                try expect(try names(after: "", 2), is: ["anna", "ben"], "the first page")
                try expect(try names(after: "ben", 2), is: ["cleo"], "the last page")
                try expect(try names(after: "cleo", 2), is: [], "after the last")
            }
        },
        ServerStoreConformance("the totals count what is stored") { store in
            try await store.write { tx in
                for name in ["anna", "ben"] { _ = try tx.insert(account(name)) }
                try tx.setDisabled(1, account: "account-ben")
                try tx.put(session("s1", of: "anna", device: "d1"))
                try tx.put(session("s2", of: "anna", device: "d2"))
                try tx.deleteSession(id: "s2")
                var appPassword = session("s3", of: "anna", device: "d3")
                appPassword.appPassword = .init(scope: .full, expiresAt: 2)
                try tx.put(appPassword)
                try tx.insertSpace(id: "s")
                try tx.put([record("a", version: 1)], in: "s")
                try tx.update(SpaceRow(id: "s", version: 1, records: 1))
                let totals = StoredTotals(
                    accounts: 2, disabledAccounts: 1, devices: 1, appPasswords: 1, spaces: 1, records: 1, bytes: 4)
                try expect(try tx.totals(), is: totals, "the totals")
            }
        },
        ServerStoreConformance("a session is kept by id and by device, and its tokens go with it") { store in
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                try tx.put(session("s2", of: "anna", device: "d2", createdAt: 2))
                try tx.put(session("s1", of: "anna", device: "d1"))
                var changed = session("s1", of: "anna", device: "d1")
                changed.generation = 3
                changed.generationUsed = true
                changed.lastSeenAt = 9
                try tx.put(changed)
                try expect(try tx.session(id: "s1"), is: changed, "the replaced session")
                try expect(try tx.session(account: "account-anna", device: "d1")?.id, is: "s1", "by device")
                try expect(try tx.sessions(account: "account-anna").map(\.id), is: ["s1", "s2"], "all, oldest first")
                try tx.insert(token(1, "s1"))
                try tx.insert(token(2, "s2"))
                try tx.deleteSession(id: "s1")
                // Ending a session twice is not an error.
                try tx.deleteSession(id: "s1")
            }
            try await store.read { tx in
                try expect(try tx.session(id: "s1"), is: nil, "the ended session")
                try expect(try tx.token(hash: token(1, "s1").hash), is: nil, "its token")
                try expect(try tx.token(hash: token(2, "s2").hash), is: token(2, "s2"), "another's token")
            }
        },
        ServerStoreConformance("tokens are withdrawn by generation, except one pair, and removed by age") { store in
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                try tx.put(session("s", of: "anna", device: "d"))
                try tx.insert(token(1, "s", generation: 0, expiresAt: 5))
                try tx.insert(token(2, "s", generation: 1, expiresAt: 15))
                try tx.insert(token(3, "s", generation: 2, expiresAt: 25))
                try tx.put(session("t", of: "anna", device: "e"))
                try tx.insert(token(4, "t", generation: 2, expiresAt: 25))
                try tx.insert(token(5, "s", generation: 2, pair: 1, expiresAt: 25))
                try tx.withdrawTokens(session: "s", generation: 2, except: 1)
                // Token 2 expires at 15, which isn't before 15. There are no refresh tokens, so the second call removes
                // none.
                var limit = RemovalLimit()
                try tx.deleteTokens(session: "s", kind: .access, expiredBefore: 15, limit: &limit)
                try tx.deleteTokens(session: "s", kind: .refresh, expiredBefore: 100, limit: &limit)
                try expect(limit.rows, is: RemovalLimit().rows - 1, "the rows that may still be removed")
                let left = try (1...5).map { try tx.token(hash: token($0, "s").hash)?.isWithdrawn }
                try expect(left, is: [nil, false, true, false, false], "what is left, and whether it is withdrawn")
                let oldest = try ["s", "t", "none"].map { try tx.oldestGeneration(session: $0) }
                try expect(oldest, is: [1, 2, nil], "the oldest generations, withdrawn ones included")
                let counts = try ["s", "t", "none"].map { try tx.tokenCount(session: $0) }
                try expect(counts, is: [3, 1, 0], "the numbers of tokens, withdrawn ones included")
                try tx.deleteTokens(session: "s", generations: 0..<2, limit: &limit)
                try expect(try tx.tokenCount(session: "s"), is: 2, "after the removal of two generations")
                try expect(try tx.oldestGeneration(session: "s"), is: 2, "the oldest one then")
                try tx.deleteTokens(session: "s", generations: 2..<2, limit: &limit)
                try expect(try tx.tokenCount(session: "s"), is: 2, "after the removal of none")
            }
        },
        ServerStoreConformance("a caller that was announced is read as without that, also after changes") { store in
            let hash = token(1, "s").hash
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                try tx.insertSpace(id: "shared")
                try tx.setRole(.editor, of: "account-anna", in: "shared")
                try tx.put(session("s", of: "anna", device: "d"))
                try tx.insert(token(1, "s", generation: 3))
            }
            try await store.write { tx in
                for space in ["shared", "unknown", nil] {
                    try tx.willReadCaller(token: hash, space: space)
                    try expect(try tx.token(hash: hash)?.generation, is: 3, "the token's generation")
                    try expect(try tx.session(id: "s")?.device, is: "d", "the session's device")
                    try expect(try tx.account(id: "account-anna")?.username, is: "anna", "the account's name")
                    try expect(try tx.role(of: "account-anna", in: "shared"), is: .editor, "the role in a space")
                    try expect(try tx.role(of: "account-anna", in: "unknown"), is: nil, "the role in no space")
                    try expect(try tx.role(of: "account-ben", in: "shared"), is: nil, "the role of another account")
                }
                try tx.setRole(.reader, of: "account-anna", in: "shared")
                try expect(try tx.role(of: "account-anna", in: "shared"), is: .reader, "the changed role")
                try tx.willReadCaller(token: hash, space: "shared")
                try tx.deleteSession(id: "s")
                try expect(try tx.session(id: "s")?.id, is: nil, "the session that has ended")
                try tx.willReadCaller(token: hash, space: "shared")
                try expect(try tx.token(hash: hash)?.session, is: nil, "the token of a session that has ended")
            }
        },
        ServerStoreConformance("a deleted account takes sessions, tokens, memberships and outcomes along") { store in
            let key = OutcomeKey(account: "account-anna", device: "d", key: "k")
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                _ = try tx.insert(account("ben"))
                try tx.insertSpace(id: "shared")
                try tx.setRole(.owner, of: "account-anna", in: "shared")
                try tx.setRole(.reader, of: "account-ben", in: "shared")
                try tx.put(session("s", of: "anna", device: "d"))
                try tx.insert(token(1, "s"))
                try tx.insert(StoredOutcome(requestHash: [1], results: [], versions: nil, storedAt: 1), for: key)
                try expect(try tx.clear(account: "account-anna", limit: RemovalLimit()), is: true, "the removal")
                try expect(try tx.insert(account("anna")), is: true, "the name is free again")
            }
            try await store.read { tx in
                try expect(try tx.token(hash: token(1, "s").hash), is: nil, "its token")
                try expect(try tx.outcome(of: key), is: nil, "its outcome")
                try expect(try tx.role(of: "account-anna", in: "shared"), is: nil, "its role")
                try expect(try tx.role(of: "account-ben", in: "shared"), is: .reader, "another's role")
            }
        },
        ServerStoreConformance("a space has members, each with a role") { store in
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                try tx.insertSpace(id: "b")
                try tx.insertSpace(id: "a")
                try tx.setRole(.reader, of: "account-anna", in: "b")
                try tx.setRole(.editor, of: "account-anna", in: "b")
                try tx.setRole(.owner, of: "account-anna", in: "a")
                let memberships = try tx.memberships(of: "account-anna")
                try expect(
                    memberships, is: [Membership(space: "a", role: .owner), Membership(space: "b", role: .editor)],
                    "memberships")
                try expect(try tx.clear(space: "a", limit: RemovalLimit(rows: 1)), is: true, "its removal")
                try expect(try tx.role(of: "account-anna", in: "a"), is: nil, "the role in a deleted space")
                try expect(try tx.space("a"), is: nil, "a deleted space")
            }
        },
    ]
}
