internal import ServerCore

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
        ServerStoreConformance("attempts are replaced, removed, forgotten, and bounded by their end") { store in
            let attempts = StoredAttempts(count: 2, last: 5, blockedUntil: 7)
            try await store.write { tx in
                try tx.put(StoredAttempts(count: 1, last: 4, blockedUntil: 5), of: "a")
                try tx.put(attempts, of: "a")
                try tx.put(StoredAttempts(count: 1, last: 9, blockedUntil: 9), of: "b")
                try tx.put(StoredAttempts(count: 1, last: 3, blockedUntil: 3), of: "c")
            }
            try await store.write { tx in
                try expect(try tx.attempts(of: "a"), is: attempts, "the last ones")
                try tx.trimAttempts(to: 2)
                try expect(try tx.attempts(of: "c"), is: nil, "those that end first")
                try tx.deleteAttempts(lastBefore: 6)
                try expect(try tx.attempts(of: "a"), is: nil, "forgotten ones")
                try tx.deleteAttempts(of: "b")
                try expect(try tx.attempts(of: "b"), is: nil, "removed ones")
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
                try expect(
                    try tx.clear(account: "account-anna", limit: RemovalLimit()), is: true, "the account is gone")
                try expect(try tx.deviceProof(account: "account-anna", device: "d3"), is: nil, "of a removed account")
            }
        },
    ]
}
