import Records
import struct Records.Record
import TestSupport
import Testing

@testable import LocalStore

@Suite struct PageTests {
    let store: LocalStore

    init() throws { store = try .inMemory() }

    /// Replacements of members of a record, each of which makes it invalid.
    static let flaws: [(member: String, value: JSONValue?)] = [
        ("collection", nil), ("collection", 5), ("collection", "Tasks"), ("collection", "a/b"), ("id", nil), ("id", 5),
        ("id", ""), ("id", "a/b"), ("id", "\u{1B}[2J"), ("id", .string(String(repeating: "a", count: 65))),
        ("version", nil), ("version", "7"), ("version", JSONNumber(7.5).map(JSONValue.number)), ("version", true),
        ("deleted", nil),
        ("deleted", "true"), ("deleted", 1), ("fields", nil), ("fields", "text"), ("fields", []), ("fields", .null),
        ("clock", nil), ("clock", []), ("clock", ["*": 5]), ("clock", ["*": "yesterday"]),
        ("clock", ["title": "000000000001-0000-"]), ("clock", ["title": "000000000001-0000-a b"]),
        ("modifiedAt", nil), ("modifiedAt", 5), ("modifiedBy", nil), ("modifiedBy", ["a"]),
    ]

    @Test(arguments: flaws.indices)
    func `a record of the wrong shape is refused, and nothing of its page is applied`(index: Int) throws {
        let flaw = Self.flaws[index]
        var members = try #require(serverRecord().json.object)
        members[flaw.member] = flaw.value
        let good = serverRecord(RecordKey(collection: "tasks", id: "good"))
        let body: JSONValue = [good.json, .object(members)]
        #expect(throws: MalformedRecords.self, "\(flaw)") {
            try store.writeNow { _ = try $0.replica.applyClean(records: body.text) }
        }
        try store.readNow { cache throws in
            #expect(try cache.records() == [])
            #expect(try cache.replica.state().digest == SpaceDigest())
        }
    }

    @Test(arguments: ["[5]", #"["text"]"#, "[[]]", "[null]"])
    func `an invalid record is refused`(records: String) throws {
        #expect(throws: MalformedRecords.self) {
            try store.writeNow { _ = try $0.replica.applyClean(records: records) }
        }
    }

    @Test func `records with unsent edits are returned and stay unchanged`() throws {
        try store.writeNow { _ = try $0.edit(key, ["title": "Mine"]) }
        let before = try store.readNow { try $0.cached(key) }
        let other = serverRecord(RecordKey(collection: "tasks", id: "b"))
        let applied = try store.writeNow { try $0.replica.applyClean(records: page([serverRecord(), other])) }
        #expect(applied.pulled == 1)
        #expect(applied.pending == [serverRecord()])
        try store.readNow { cache throws in
            #expect(try cache.cached(key) == before)
            #expect(try cache.cached(other.key) == CachedRecord(record: other))
        }
    }

    @Test func `a tombstone keeps the last known fields`() throws {
        try store.writeNow { cache throws in
            _ = try cache.replica.applyClean(records: page([serverRecord()]))
            _ = try cache.replica.applyClean(records: page([serverRecord(version: 8, deleted: true)]))
        }
        let kept = try store.readNow { try $0.cached(key)?.record }
        #expect(kept?.deleted == true && kept?.version == 8 && kept?.fields == ["title": "Milk"])
        #expect(try store.readNow { try $0.records() } == [])
    }

    @Test func `only records that this device had deleted and another one's edit revives are counted`() throws {
        let mine = ["a", "b", "c", "d"].map { RecordKey(collection: "tasks", id: $0) }
        let revived = try store.writeNow { cache throws in
            let device = try cache.device()
            let held = mine.map { key in
                var record = serverRecord(key, deleted: key.id != "d", [:])
                record.modifiedBy = key.id == "c" ? "there" : device
                return record
            }
            _ = try cache.replica.applyClean(records: page(held))
            let received = mine.map { serverRecord($0, version: 8, deleted: $0.id == "b") }
            return try cache.replica.applyClean(records: page(received)).revived
        }
        #expect(revived == 1)
    }

    @Test func `a lower version replaces a higher one`() throws {
        try store.writeNow { cache throws in
            _ = try cache.replica.applyClean(records: page([serverRecord(version: 9)]))
            _ = try cache.replica.applyClean(records: page([serverRecord(version: 8, ["title": "Bread"])]))
        }
        #expect(try store.readNow { try $0.cached(key)?.record } == serverRecord(version: 8, ["title": "Bread"]))
    }

    @Test(arguments: UInt64(0)..<20)
    func `applying a page at once gives the same result as applying its records one by one`(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let other = try LocalStore.inMemory()
        for round in Int64(0)..<6 {
            let keys = (0..<8).map { RecordKey(collection: "tasks", id: "r\($0)") }.shuffled(using: &random)
            let records = keys.prefix(random.below(8)).enumerated().map { offset, key in
                serverRecord(
                    key, version: round * 10 + Int64(offset), deleted: random.oneIn(3), ["title": .string("\(round)")])
            }
            try store.writeNow { _ = try $0.replica.applyClean(records: page(records)) }
            for record in records { try other.writeNow { _ = try $0.replica.applyClean(records: page([record])) } }
        }
        let (mine, theirs) = try (contents(of: store), contents(of: other))
        #expect(mine == theirs, "seed \(seed)")
        let (kept, counted) = try store.readNow { (try $0.replica.state().digest, try $0.replica.countedDigest()) }
        #expect(kept == counted, "seed \(seed)")
    }

    private func contents(of store: LocalStore) throws -> [CachedRecord?] {
        try store.readNow { cache throws in
            try (0..<8).map { try cache.cached(RecordKey(collection: "tasks", id: "r\($0)")) }
        }
    }
}

@Suite struct FullReadMarksTests {
    @Test func `a full read knows what it has received, and the epoch of the rest`() throws {
        let store = try LocalStore.inMemory()
        let (met, left) = (key, RecordKey(collection: "tasks", id: "b"))
        let new = RecordKey(collection: "tasks", id: "c")
        try store.writeNow { cache throws in
            _ = try cache.replica.applyClean(records: page([serverRecord(met), serverRecord(left)]))
            try cache.replica.beginFullRead(["mode": "x"], afterRestore: true)
            try cache.replica.markSeen(met)
            try cache.edit(new, ["title": "New"])
        }
        try store.readNow { cache throws in
            #expect(try cache.replica.state().cursor == nil)
            #expect(try cache.replica.state().reading == ["mode": "x"])
            #expect(try cache.replica.unseen().map(\.record.key) == [left, new])
            #expect(try [met, left, new].map { try cache.replica.isFormer($0) } == [false, true, false])
        }
        // Begun again within the epoch: everything is received again, but what was received is of this epoch.
        try store.writeNow { try $0.replica.beginFullRead(["mode": "x"], afterRestore: false) }
        try store.readNow { cache throws in
            #expect(try cache.replica.unseen().count == 3)
            #expect(try [met, left].map { try cache.replica.isFormer($0) } == [false, true])
        }
        try store.writeNow { try $0.replica.endFullRead() }
        #expect(try store.readNow { try $0.replica.isFormer(left) } == false)
    }

    @Test(arguments: [[], ["tasks"], ["books", "lists", "tasks", "tasks"]])
    func `a home receives the collections of all its records, tombstones included`(held: [String]) throws {
        let store = try LocalStore.inMemory()
        let records = zip(1..., held).map { version, collection in
            serverRecord(
                RecordKey(collection: collection, id: "r\(version)"), version: Int64(version), deleted: version == 2)
        }
        try store.writeNow { cache throws in
            _ = try cache.replica.applyClean(records: page(records))
            try cache.replica.setFirstCollections(CollectionSet(["notes"]))
        }
        #expect(try store.readNow { try $0.replica.state().collections } == CollectionSet(held + ["notes"]))
    }

    @Test func `a wrong digest is correct after a full read`() throws {
        let store = try LocalStore.inMemory()
        let twice = page([serverRecord(), serverRecord()])
        try store.writeNow { cache throws in
            _ = try cache.replica.applyClean(records: twice)
            let counted = try cache.replica.countedDigest()
            #expect(try cache.replica.state().digest != counted)
            try cache.replica.endFullRead()
            #expect(try cache.replica.state().digest == counted)
        }
    }
}
