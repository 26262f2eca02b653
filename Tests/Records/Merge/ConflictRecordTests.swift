import Records
import Testing

@Suite("Conflict records")
struct ConflictRecordTests {
    private let key = RecordKey(collection: "tasks", id: "t1")

    private func conflict(_ one: UInt64, _ other: UInt64) throws -> FieldConflict {
        let outcome = merged(
            base: nil, side(["title": "a"], at: one, by: "x"), side(["title": "b"], at: other, by: "y"))
        return try #require(outcome.conflicts.first)
    }

    @Test("its key is a UUID in the collection of conflicts, derived from field and clocks")
    func identity() throws {
        let record = ConflictRecord(try conflict(1, 2), in: key)
        #expect(record.id == "d5b002a6-dedb-803c-b07e-ac0f1e249350")
        #expect(record.key.isValid)
        #expect(record.key.collection == "conflicts")
        #expect(ConflictRecord(try conflict(1, 3), in: key).id != record.id)
        #expect(ConflictRecord(try conflict(1, 2), in: RecordKey(collection: "tasks", id: "t2")).id != record.id)
    }

    @Test("its clocks are the later edit's")
    func clocks() throws {
        #expect(
            ConflictRecord(try conflict(5, 2), in: key).clock == FieldClocks(all: HLC(milliseconds: 5, device: "x")))
    }

    @Test("it is parsed from its fields")
    func roundTrip() throws {
        let record = ConflictRecord(try conflict(1, 2), in: key)
        #expect(ConflictRecord(id: record.id, fields: record.fields) == record)
        #expect(record.fields["later"] == ["value": "b", "clock": "000000000002-0000-y"])
    }

    @Test("the lines in conflict of a text are parsed; a record without them, or with invalid ones, has none")
    func overlaps() throws {
        let outcome = merged(
            base: side(["body": "a\nb\nc"]), side(["body": "A\n1\nc"], at: 2), side(["body": "a\n2\n3\nc"], at: 3),
            type: TaskRecord.type)
        let record = ConflictRecord(try #require(outcome.conflicts.first), in: key)
        #expect(record.fields["overlaps"] == [[0, 2, 0, 3]])
        #expect(ConflictRecord(id: record.id, fields: record.fields) == record)
        for other: JSONValue in [.null, "x", [[1, 0, 0, 1]], [[-1, 0, 0, 1]], [[0, 1, 0]], [0, 1, 0, 1]] {
            let read = ConflictRecord(id: record.id, fields: record.fields.applying(["overlaps": other]))
            #expect(read?.conflict.overlaps == [])
        }
    }

    @Test("of two resolutions on different devices the later is kept, and a new copy of the pair doesn't reopen it")
    func resolved() throws {
        let record = ConflictRecord(try conflict(1, 2), in: key)
        let settled = { (at: UInt64, by: String, when: String) in
            var clock = record.clock
            clock.stamp(["settled"], at: HLC(milliseconds: at, device: by))
            return ThreeWayMerge.Side(fields: record.fields.applying(["settled": .string(when)]), clock: clock)
        }
        let new = ThreeWayMerge.Side(fields: record.fields, clock: record.clock)
        let (one, other) = (
            settled(5, "x", "2026-11-21T05:00:00Z"), settled(9, "y", "2026-11-21T09:00:00Z")
        )
        for (base, mine, theirs) in [(new, one, other), (nil, new, other)] as [(ThreeWayMerge.Side?, _, _)] {
            let outcome = merged(base: base, mine, theirs, type: ConflictRecord.type)
            #expect(outcome.side == other && outcome.conflicts.isEmpty)
            let resolved = ConflictRecord(id: record.id, fields: outcome.fields)
            #expect(resolved?.resolvedAt == Timestamp("2026-11-21T09:00:00Z"))
        }
    }

    @Test("a conflict whose resolution time can't be read is resolved, and the text is kept")
    func unreadableTime() throws {
        let record = ConflictRecord(try conflict(1, 2), in: key)
        #expect(!record.isResolved)
        let fields = record.fields.applying(["settled": "this morning"])
        let read = try #require(ConflictRecord(id: record.id, fields: fields))
        #expect(read.isResolved)
        #expect(read.resolvedAt == nil)
        #expect(read.fields == fields)
    }

    @Test("a removal is an edit without a value")
    func removal() throws {
        let outcome = merged(base: side(["due": "x"]), side([:], at: 2), side(["due": "y"], at: 3))
        let record = ConflictRecord(try #require(outcome.conflicts.first), in: key)
        #expect(record.conflict.earlier.value == nil)
        #expect(ConflictRecord(id: record.id, fields: record.fields) == record)
    }

    @Test(
        "fields of another shape are no conflict",
        arguments: ["field", "earlier", "later", "kept", "record", "collection"])
    func otherShapes(missing: String) throws {
        var fields = ConflictRecord(try conflict(1, 2), in: key).fields
        fields[missing] = nil
        #expect(ConflictRecord(id: "c", fields: fields) == nil)
        fields[missing] = ["clock": 5]
        #expect(ConflictRecord(id: "c", fields: fields) == nil)
    }
}
