import Records
import SyncAPI
import Testing

@testable import ServerCore

/// Decisions on mutations, as tables over what is stored.
@Suite struct MutationDecisionTests {
    static let now: Int64 = 1_000_000
    let decider = MutationDecider(now: now, fieldsBytes: 100, recordBytes: 150)

    static func clock(_ milliseconds: Int64, _ counter: UInt16 = 0, _ device: String = "d") -> HLC {
        HLC(milliseconds: UInt64(milliseconds), counter: counter, device: device)
    }

    static let live = RawRecord(
        key: RecordKey(collection: "tasks", id: "x"), version: 7, deleted: false, modifiedAt: "", modifiedBy: "d",
        fields: #"{"due":"today","title":"old"}"#,
        clock: FieldClocks(["*": clock(10), "title": clock(20)]).json.text)

    static func withClock(of field: String) -> RawRecord {
        var record = live
        record.clock = FieldClocks(["*": clock(10), JSONName(field): clock(20)]).json.text
        return record
    }

    static let tombstone: RawRecord = {
        var record = live
        record.deleted = true
        record.fields = ""
        return record
    }()

    static func mutation(
        base: Int64, at: HLC? = clock(30), clock: FieldClocks? = nil, collection: String = "tasks", id: String = "x",
        _ action: Mutation.Action
    ) -> Mutation {
        Mutation(
            key: RecordKey(collection: collection, id: id), base: base, at: at, clock: clock, action: action)
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let mutation: Mutation
        let stored: RawRecord?
        let decision: MutationDecision

        init(_ description: String, _ mutation: Mutation, on stored: RawRecord?, _ decision: MutationDecision) {
            testDescription = description
            self.mutation = mutation
            self.stored = stored
            self.decision = decision
        }
    }

    static func written(_ fields: String?, _ clock: [JSONName: HLC]) -> MutationDecision {
        .write(.init(fields: fields, clock: FieldClocks(clock).json.text))
    }

    static let cases: [Case] = [
        Case(
            "a creation drops nulls and sets *", mutation(base: 0, .set(["title": "new", "due": .null])), on: nil,
            written(#"{"title":"new"}"#, ["*": clock(30)])),
        Case(
            "an edit replaces, removes and keeps fields, and sets the entries of those that the record has",
            mutation(base: 7, .set(["title": "new", "due": .null])), on: live,
            written(#"{"title":"new"}"#, ["*": clock(10), "title": clock(30)])),
        Case(
            "clocks of unknown fields are dropped",
            mutation(
                base: 7, at: nil, clock: FieldClocks(["*": clock(11), "title": clock(21), "other": clock(12)]),
                .set(["title": "new"])), on: live,
            written(#"{"due":"today","title":"new"}"#, ["*": clock(11), "title": clock(21)])),
        Case(
            "so are those of a created record",
            mutation(base: 0, clock: FieldClocks(["*": clock(11), "other": clock(12)]), .set(["title": "new"])),
            on: nil, written(#"{"title":"new"}"#, ["*": clock(11)])),
        Case(
            "so are stored ones from before this rule",
            mutation(base: 7, .set(["title": "new"])), on: withClock(of: "other"),
            written(#"{"due":"today","title":"new"}"#, ["*": clock(10), "title": clock(30)])),
        Case(
            "a merged record's clocks are applied, also of fields that it doesn't set",
            mutation(
                base: 7, at: nil, clock: FieldClocks(["title": clock(21, 1), "due": clock(12)]),
                .set(["title": "both"])), on: live,
            written(#"{"due":"today","title":"both"}"#, ["*": clock(10), "title": clock(21, 1), "due": clock(12)])),
        Case(
            "a revival has the fields that it names, with new clocks", mutation(base: 7, .set(["title": "again"])),
            on: tombstone, written(#"{"title":"again"}"#, ["*": clock(30)])),
        Case(
            "a deletion keeps the clocks that it had seen",
            mutation(base: 7, clock: FieldClocks(["*": clock(9)]), .delete), on: live, written(nil, ["*": clock(9)])),
        Case(
            "a deletion that sends no clocks had seen those of its base", mutation(base: 7, .delete), on: live,
            written(nil, ["*": clock(10), "title": clock(20)])),
        Case(
            "a deletion of an unknown record with base 0 writes a tombstone", mutation(base: 0, .delete), on: nil,
            written(nil, ["*": clock(30)])),
        Case("another version is a conflict", mutation(base: 6, .set(["title": "n"])), on: live, .conflict),
        Case("a creation of what is there is a conflict", mutation(base: 0, .set([:])), on: live, .conflict),
        Case("a creation over a tombstone is a conflict", mutation(base: 0, .set([:])), on: tombstone, .conflict),
        Case("an edit of an unknown record is a conflict", mutation(base: 3, .set([:])), on: nil, .conflict),
        Case(
            "a deletion of an unknown record with a base is a conflict", mutation(base: 3, .delete), on: nil, .conflict),
        Case(
            "a bad collection is rejected", mutation(base: 0, collection: "Tasks", .set([:])), on: nil,
            .rejected(.badCollection("Tasks"))),
        Case(
            "an id with a slash is rejected", mutation(base: 0, id: "a/b", .set([:])), on: nil,
            .rejected(.badRecordID("a/b"))),
        Case(
            "a field named * is rejected", mutation(base: 0, .set(["*": 1])), on: nil, .rejected(.badField("*"))),
        Case(
            "too large fields are rejected",
            mutation(base: 0, .set(["title": .string(String(repeating: "x", count: 100))])), on: nil,
            .rejected(.fieldsTooLarge(limit: 100))),
        Case(
            "fields and clocks that are too large together are rejected",
            mutation(
                base: 0, clock: FieldClocks(["*": clock(30), "title": clock(30), "due": clock(30)]),
                .set(["title": .string(String(repeating: "x", count: 50)), "due": "1"])), on: nil,
            .rejected(.clocksTooLarge(limit: 150))),
        Case(
            "so are the clocks of a tombstone",
            mutation(
                base: 0,
                clock: FieldClocks(Dictionary(uniqueKeysWithValues: (0..<6).map { (JSONName("f\($0)"), clock(30)) })),
                .delete), on: nil, .rejected(.clocksTooLarge(limit: 150))),
    ]

    @Test(arguments: cases)
    func decides(_ entry: Case) throws {
        #expect(try decider.decide(entry.mutation, version: entry.stored?.version) { entry.stored } == entry.decision)
    }

    // MARK: Clocks from the future

    struct Lowering: Sendable {
        let at: HLC
        let stored: RawRecord?
        let expected: HLC
    }

    static let lowerings: [Lowering] = [
        Lowering(at: clock(now + 60_000), stored: nil, expected: clock(now + 60_000)),
        Lowering(at: clock(now + 60_001), stored: nil, expected: clock(now)),
        Lowering(at: clock(now + 60_001, 3, "other"), stored: live, expected: clock(now, 0, "other")),
        Lowering(at: clock(now + 90_000), stored: ahead(by: 50_000), expected: clock(now + 50_000, 5)),
        Lowering(at: clock(now + 90_000, 0, "e"), stored: ahead(by: 50_000), expected: clock(now + 50_000, 5, "e")),
    ]

    static func ahead(by milliseconds: Int64) -> RawRecord {
        var record = live
        record.clock = FieldClocks(["*": clock(10), "title": clock(now + milliseconds, 4)]).json.text
        return record
    }

    @Test(arguments: lowerings)
    func aClockMoreThanAMinuteAheadIsLowered(_ entry: Lowering) throws {
        let mutation = Self.mutation(base: entry.stored?.version ?? 0, at: entry.at, .set(["title": "n"]))
        guard
            case .write(let state) = try decider.decide(
                mutation, version: entry.stored?.version, stored: { entry.stored })
        else {
            Issue.record("nothing was written")
            return
        }
        #expect(try FieldClocks(json: JSONValue(parsing: state.clock))?["title"] == entry.expected)
    }

    @Test func anExistingEntryIsNotLowered() throws {
        let future = Self.clock(Self.now + 70_000, 4)
        var stored = Self.live
        stored.clock = FieldClocks(["*": Self.clock(10), "title": future]).json.text
        let mutation = Self.mutation(base: 7, at: nil, clock: FieldClocks(["title": future]), .set(["title": "n"]))
        guard case .write(let state) = try decider.decide(mutation, version: stored.version, stored: { stored }) else {
            Issue.record("nothing was written")
            return
        }
        #expect(try FieldClocks(json: JSONValue(parsing: state.clock))?["title"] == future)
    }
}
