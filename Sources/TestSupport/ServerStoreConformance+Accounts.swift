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
        ServerStoreConformance("tokens are withdrawn by generation and removed by age") { store in
            try await store.write { tx in
                _ = try tx.insert(account("anna"))
                try tx.put(session("s", of: "anna", device: "d"))
                try tx.insert(token(1, "s", generation: 0, expiresAt: 5))
                try tx.insert(token(2, "s", generation: 1, expiresAt: 15))
                try tx.insert(token(3, "s", generation: 2, expiresAt: 25))
                try tx.put(session("t", of: "anna", device: "e"))
                try tx.insert(token(4, "t", generation: 2, expiresAt: 25))
                try tx.withdrawTokens(session: "s", generation: 2)
                // Token 2 expires at 15, which isn't before 15. There are no refresh tokens, so the second call removes
                // none.
                var limit = RemovalLimit()
                try tx.deleteTokens(session: "s", kind: .access, expiredBefore: 15, limit: &limit)
                try tx.deleteTokens(session: "s", kind: .refresh, expiredBefore: 100, limit: &limit)
                try expect(limit.rows, is: RemovalLimit().rows - 1, "the rows that may still be removed")
                let left = try (1...4).map { try tx.token(hash: token($0, "s").hash)?.isWithdrawn }
                try expect(left, is: [nil, false, true, false], "what is left, and whether it is withdrawn")
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
