import Records
import TestSupport
import Testing

@testable import LocalStore

@Suite struct CacheTests {
    let store: LocalStore

    init() throws { store = try .inMemory() }

    private struct Interrupted: Error {}

    @Test func `a stored record is read back unchanged`() throws {
        var pending = CachedRecord(record: serverRecord()).edited(["n": .number(JSONNumber(1))], at: moment(5))
        pending.pending?.sent = 1
        pending.pending?.rejection = Rejection(code: "too-large", reason: "Too large.")
        for next in [pending, CachedRecord(record: serverRecord()), CachedRecord(record: serverRecord(deleted: true))] {
            try store.writeNow { try $0.store(next, for: key) }
            #expect(try store.readNow { try $0.cached(key) } == next)
        }
        try store.writeNow { try $0.store(nil, for: key) }
        #expect(try store.readNow { try $0.cached(key) } == nil)
    }

    @Test func `an edit and its entry in the outbox are one transaction`() throws {
        #expect(throws: Interrupted.self) {
            try store.writeNow { cache throws in
                try cache.edit(key, ["title": "Milk"])
                throw Interrupted()
            }
        }
        try store.readNow { cache throws in
            #expect(try cache.cached(key) == nil)
            #expect(try cache.outbox.unsent() == UnsentCounts(records: 0, refused: 0))
        }
        try store.writeNow { _ = try $0.edit(key, ["title": "Milk"]) }
        try store.readNow { cache throws in
            #expect(try cache.records().map(\.key) == [key])
            #expect(try cache.outbox.sendable(limit: 10).map(\.record.key) == [key])
        }
    }

    @Test(arguments: UInt64(0)..<20)
    func `the digest is that of the records as the server has them, whatever happens`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for version in Int64(1)...40 {
            let key = RecordKey(collection: "tasks", id: "r\(random.below(6))")
            try store.writeNow { cache throws in
                switch random.below(6) {
                case 0: try cache.edit(key, ["title": .string("\(version)")])
                case 1: try cache.delete(key)
                case 2: try cache.store(nil, for: key)
                case 3: try cache.store(CachedRecord(record: serverRecord(key, version: version)), for: key)
                default:
                    let record = serverRecord(key, version: version, deleted: random.oneIn(3))
                    _ = try cache.replica.applyClean(records: page([record]))
                }
            }
            let (kept, counted) = try store.readNow { (try $0.replica.state().digest, try $0.replica.countedDigest()) }
            #expect(kept == counted, "seed \(seed), step \(version)")
        }
    }

    @Test func `each edit is later than all that was created or received, even if the clock goes backwards`() throws {
        let met = serverRecord(version: 1)
        let first = try store.writeNow { try $0.tick() }
        let second = try store.writeNow { try $0.tick() }
        var ahead = met
        ahead.clock = FieldClocks(all: moment(9_000, "there"))
        let third = try store.writeNow { [ahead] in try $0.tick(after: ahead) }
        #expect(first < second && second < third)
        #expect(third.milliseconds == 9_000 && third.device == first.device)
    }

    @Test func `a batch marks its records, and when it is answered they may be sent again`() throws {
        let other = RecordKey(collection: "tasks", id: "b")
        try store.writeNow { cache throws in
            try cache.edit(key, ["title": "Milk"])
            try cache.edit(other, ["title": "Bread"])
            try cache.outbox.beginSending(Batch(key: "k", since: "c", body: "{}"), of: [key])
        }
        try store.readNow { cache throws in
            #expect(try cache.outbox.batch() == Batch(key: "k", since: "c", body: "{}"))
            #expect(try cache.outbox.sendable(limit: 10).map(\.record.key) == [other])
            #expect(try cache.cached(key)?.pending?.sent == 1)
        }
        try store.writeNow { try $0.outbox.endSending() }
        try store.readNow { cache throws in
            #expect(try cache.outbox.batch() == nil)
            #expect(try cache.outbox.sendable(limit: 10).map(\.record.key) == [key, other])
        }
    }

    @Test func `a home belongs to the account that signed in first`() throws {
        try store.writeNow { cache throws in
            try cache.account.bind(remote: "space-1", username: "anna")
            try cache.account.bind(remote: "space-1", username: "anna")
        }
        #expect(throws: LocalStoreError.otherAccount(username: "anna")) {
            try store.writeNow { try $0.account.bind(remote: "space-2", username: "berta") }
        }
        #expect(try store.readNow { try $0.replica.state().remote } == "space-1")
    }

    @Test func `the device id is created once`() throws {
        let ids = try (0..<2).map { _ in try store.writeNow { try $0.device() } }
        #expect(ids[0] == ids[1])
        #expect(RecordKey.isIdentifier(ids[0]))
    }
}

@Suite struct LookupTests {
    let store: LocalStore

    init() throws { store = try .inMemory() }

    private func add(_ ids: [String], in collection: String = "tasks") throws {
        try store.writeNow { cache throws in
            for id in ids { try cache.edit(RecordKey(collection: collection, id: id), ["title": .string(id)]) }
        }
    }

    @Test func `a record is found by any prefix of its id; a full id matches only itself`() throws {
        try add(["abcd", "abcdef", "abxx"])
        try add(["abzz"], in: "conflicts")
        func ids(_ prefix: String) throws -> [String] {
            try store.readNow { try $0.index.keys(prefix: prefix).map(\.id) }
        }
        #expect(try ids("ab") == ["abcd", "abcdef", "abxx"])
        #expect(try ids("abcd") == ["abcd"])
        #expect(try ids("abcde") == ["abcdef"])
        #expect(try ids("") == [])
        #expect(try ids("%") == [])
        try store.writeNow { try $0.delete(RecordKey(collection: "tasks", id: "abxx")) }
        #expect(try ids("abx") == [])
    }

    @Test func `a short prefix is not a number, has at least four characters and leads back to its record`() throws {
        let ids = ["1234567a", "1234ffff", "abcd0000", "abce0000", "1"]
        try add(ids)
        let prefixes = try store.readNow { cache in try ids.map { try cache.index.shortPrefix(of: $0) } }
        #expect(prefixes == ["1234567a", "1234f", "abcd", "abce", "1"])
        for (id, prefix) in zip(ids, prefixes) {
            #expect(try store.readNow { try $0.index.keys(prefix: prefix).map(\.id) } == [id])
        }
    }

    @Test func `the short id of a UUID is in letters and leads back to its record, also among other ids`() throws {
        let ids = [
            "3f2a10c4-0000-4000-8000-000000000001", "3f2a10c4-0000-4000-8000-000000000002",
            "3f2b0000-0000-4000-8000-000000000000", "11112222-0000-4000-8000-000000000000", "3f2c-list", "yyyy-list",
            "3f2c0000-0000-4000-8000-000000000000",
        ]
        try add(ids)
        let prefixes = try store.readNow { cache in try ids.map { try cache.index.shortPrefix(of: $0) } }
        #expect(prefixes[2] == "wkxo" && prefixes[3] == "yyyyx")
        #expect(prefixes[0].count == 32 && prefixes[0] != prefixes[1])
        for (id, prefix) in zip(ids, prefixes) {
            #expect(try store.readNow { try $0.index.keys(beginningWith: prefix).map(\.id) } == [id], "\(prefix)")
            #expect(try store.readNow { try $0.index.keys(beginningWith: prefix.uppercased()).map(\.id) } == [id])
        }
    }

    @Test func `the short ids of many records are those of each`() throws {
        let ids = (0..<600).map { number in
            let digits = String(number * 7_919 % 4_096, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits + "-0000-4000-8000-000000000000"
        }
        try add(ids + ["work", "0000"])
        let all = try store.readNow { try $0.index.shortPrefixes(of: ids) }
        let each = try store.readNow { cache in try ids.map { try cache.index.shortPrefix(of: $0) } }
        #expect(ids.map { all[$0] } == each)
        #expect(Set(each).count == ids.count)
    }

    @Test func `the last list of each terminal is kept, for the last hundred terminals`() throws {
        let list = [key, RecordKey(collection: "notes", id: "b")]
        try store.writeNow { cache throws in
            try cache.index.remember([], terminal: "first")
            try cache.index.remember([], terminal: "second")
            try cache.index.remember(list, terminal: "first")
            for number in 1..<RecordIndex.keptListings { try cache.index.remember([key], terminal: "t\(number)") }
        }
        try store.readNow { cache throws in
            #expect(try cache.index.listing(terminal: "first") == list)
            #expect(try cache.index.listing(terminal: "second") == [])
            #expect(try cache.index.listing(terminal: "t99") == [key])
            #expect(try cache.index.listing(terminal: "never") == [])
        }
    }
}
