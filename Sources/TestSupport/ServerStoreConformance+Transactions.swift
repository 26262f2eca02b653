internal import Records
internal import ServerCore
internal import SyncAPI

extension ServerStoreConformance {
    private struct Refusal: Error {}

    static let transactions: [ServerStoreConformance] = [
        ServerStoreConformance("of a transaction that throws, nothing is left") { store in
            do {
                try await store.write { tx in
                    try tx.insertSpace(id: "s")
                    throw Refusal()
                }
                throw Failure(description: "the error was swallowed")
            } catch is Refusal {}
            let space = try await store.read { tx in try tx.space("s") }
            try expect(space, is: nil, "the space")
        },
        ServerStoreConformance("of many transactions at once, those that fail take no other with them") { store in
            let done = await withTaskGroup(of: Bool.self, returning: Int.self) { group in
                for number in 0..<64 {
                    group.addTask {
                        do {
                            try await store.write { tx in
                                try tx.insertSpace(id: "s\(number)")
                                if number % 4 == 0 { throw Refusal() }
                            }
                            return true
                        } catch {
                            return false
                        }
                    }
                }
                return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            try expect(done, is: 48, "how many succeeded")
            try await store.read { tx in
                for number in 0..<64 {
                    try expect(try tx.space("s\(number)") != nil, is: number % 4 != 0, "space \(number)")
                }
            }
        },
        ServerStoreConformance("the epoch stays") { store in
            let first = try await store.read { tx in try tx.epoch() }
            let second = try await store.write { tx in try tx.epoch() }
            try expect(second, is: first, "the epoch")
            try expect(RecordKey.isIdentifier(first), is: true, "its form")
        },
        ServerStoreConformance("writers in parallel give no gap to a reader that follows the versions") { store in
            let (writers, writes) = (16, 25)
            try await store.write { tx in try tx.insertSpace(id: "s") }
            let seen = try await withThrowingTaskGroup(of: Void.self, returning: [Int64].self) { group in
                for writer in 0..<writers {
                    group.addTask {
                        for number in 0..<writes { try await add("r\(writer)-\(number)", to: store) }
                    }
                }
                var seen: [Int64] = []
                while seen.count < writers * writes {
                    let position = seen.last ?? 0
                    seen += try await store.read { tx in
                        try versions(ChangeRange(after: position, tombstonesAfter: position), in: "s", tx)
                    }
                    await Task.yield()
                }
                try await group.waitForAll()
                return seen
            }
            try expect(seen, is: Array(1...Int64(writers * writes)), "the versions in the order they were met")
        },
    ]

    private static func add(_ id: String, to store: any ServerStore) async throws {
        try await store.write { tx in
            guard var space = try tx.lockSpace("s") else { throw Failure(description: "the space is gone") }
            space.version += 1
            try tx.put([record(id, version: space.version)], in: "s")
            try tx.update(space)
        }
    }
}
