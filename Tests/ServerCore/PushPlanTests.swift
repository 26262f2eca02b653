import Records
import SQLiteServerStore
import SyncAPI
import Testing

@testable import ServerCore

@Suite struct PushPlanTests {
    let decider = MutationDecider(now: 1_763_702_520_123, fieldsBytes: 1_000)

    private func set(_ id: String, base: Int64 = 0, _ fields: JSONObject = ["n": 1]) -> Mutation {
        Mutation(
            key: RecordKey(collection: "tasks", id: id), base: base, at: HLC(milliseconds: 5, device: "d"),
            action: .set(fields))
    }

    private func delete(_ id: String, base: Int64) -> Mutation {
        Mutation(key: RecordKey(collection: "tasks", id: id), base: base, at: nil, action: .delete)
    }

    private func plan(
        _ mutations: [Mutation], on space: SpaceRow, stored: [RawRecord] = []
    ) throws -> NumberedPlan {
        let stored = Dictionary(uniqueKeysWithValues: stored.map { ($0.key, $0) })
        let plan = try PushPlan(
            mutations, on: .init(version: { stored[$0]?.version }, record: { stored[$0] }), decider: decider)
        return NumberedPlan(plan, on: space, now: decider.now, by: "d")
    }

    @Test func eachChangeHasTheNextVersionAndRefusedOnesHaveNone() throws {
        let plan = try plan([set("a"), set("B/"), set("c", base: 9), set("d")], on: SpaceRow(id: "s", version: 41))
        #expect(plan.writes.map(\.version) == [42, 43])
        #expect(plan.versions == 42...43)
        #expect(plan.space.version == 43)
        #expect(plan.results.count == 4)
        #expect(plan.results[2] == .conflict)
    }

    @Test func theDigestAndTheNumberOfRecordsFollowEachWrite() throws {
        let first = try plan([set("a"), set("b")], on: SpaceRow(id: "s"))
        #expect(first.space.records == 2)
        let second = try plan(
            [set("a", base: 1, ["n": 12]), delete("b", base: 2)], on: first.space, stored: first.writes)
        var digest = SpaceDigest()
        digest.add(collection: "tasks", id: "a", version: 3)
        #expect(second.space.digest == digest)
        #expect(second.space.records == 1)
    }

    @Test func eachMutationHasAResult() throws {
        let known = try plan([set("a")], on: SpaceRow(id: "s")).writes
        let plan = try plan([set("a"), set("b"), set("B/"), set("c", base: 2)], on: SpaceRow(id: "s"), stored: known)
        #expect(
            plan.results == [
                .conflict, .applied(version: 1, clock: #"{"*":"000000000005-0000-d"}"#),
                .rejected(problem: Problem.badRecordID("B/").json.text), .conflict,
            ])
    }

    @Test func recordsAreReadAgainOnlyIfTheirSpaceHasChangedSinceThePlan() async throws {
        let store = try SQLiteServerStore()
        let row = SpaceRow(id: "s")
        try await store.write { try $0.insertSpace(id: "s") }
        // The store has no such record, which only a look at it shows.
        let stored = PushPlan.Stored(
            version: { _ in 7 },
            record: { key in
                RawRecord(
                    key: key, version: 7, deleted: false, modifiedAt: "", modifiedBy: "d", fields: "{}", clock: "{}")
            }, space: row)
        let plan = try PushPlan([set("a", base: 7)], on: stored, decider: decider)
        let versions = try await store.write { tx in
            try tx.apply(plan, on: row, now: 1, by: "d", revisions: 1).versions
        }
        #expect(versions == 1...1)
        await #expect(throws: StalePlan.self) {
            try await store.write { tx in
                _ = try tx.apply(plan, on: SpaceRow(id: "s", version: 1), now: 1, by: "d", revisions: 1)
            }
        }
    }

    @Test func aRequestThatChangesTooMuchAtOnceIsRefused() throws {
        let text = #"{"text":"\#(String(repeating: "x", count: 1_000_000))"}"#
        let stored = PushPlan.Stored(
            version: { _ in 2 },
            record: { key in
                RawRecord(
                    key: key, version: 2, deleted: false, modifiedAt: "", modifiedBy: "d", fields: text, clock: "{}")
            })
        let decider = MutationDecider(now: 0, fieldsBytes: Limits.fieldsBytes)
        func plan(_ count: Int) throws -> PushPlan {
            try PushPlan((0..<count).map { set("r\($0)", base: 2) }, on: stored, decider: decider)
        }
        #expect(try plan(8).steps.count == 8)
        #expect(throws: Problem.changesTooLarge(limit: Limits.changedBytes)) { try plan(9) }
    }

    @Test func recordsThatAreReadForRejectedMutationsCount() throws {
        var reads = 0
        let text = #"{"text":"\#(String(repeating: "x", count: 1_000_000))"}"#
        let stored = PushPlan.Stored(
            version: { _ in 2 },
            record: { key in
                reads += 1
                return RawRecord(
                    key: key, version: 2, deleted: false, modifiedAt: "", modifiedBy: "d", fields: text, clock: "{}")
            })
        // Each change makes the record larger than a record may be.
        let decider = MutationDecider(now: 0, fieldsBytes: 1_000)
        func plan(_ count: Int) throws -> PushPlan {
            try PushPlan((0..<count).map { set("r\($0)", base: 2) }, on: stored, decider: decider)
        }
        #expect(try plan(16).steps.allSatisfy { if case .rejected = $0 { true } else { false } })
        reads = 0
        #expect(throws: Problem.changesTooLarge(limit: Limits.changedBytes)) { try plan(100) }
        #expect(reads == 17)
    }

    @Test func aRecordThatConflictsIsNotRead() throws {
        var read: [RecordKey] = []
        let plan = try PushPlan(
            [set("a", base: 1), set("b", base: 2), set("B/", base: 2)],
            on: .init(
                version: { _ in 2 },
                record: { key in
                    read.append(key)
                    return RawRecord(
                        key: key, version: 2, deleted: false, modifiedAt: "", modifiedBy: "d", fields: "{}", clock: "{}"
                    )
                }), decider: decider)
        #expect(read.map(\.id) == ["b"])
        #expect(plan.steps.first == .conflict)
    }

    @Test func aStoredRecordIsWrittenAsOnTheWire() throws {
        var stored = RawRecord(
            key: RecordKey(collection: "notes", id: "n"), version: 3, deleted: false,
            modifiedAt: "2025-11-21T05:22:00.123Z", modifiedBy: "dev", fields: #"{"t":"é"}"#,
            clock: #"{"*":"000000000001-0000-d"}"#)
        let members = #""id":"n","modifiedAt":"2025-11-21T05:22:00.123Z","modifiedBy":"dev","version":3}"#
        let clock = #"{"clock":{"*":"000000000001-0000-d"},"collection":"notes","#
        #expect(
            String(decoding: stored.body, as: UTF8.self)
                == clock + #""deleted":false,"fields":{"t":"é"},"# + members)
        stored.deleted = true
        stored.fields = ""
        #expect(String(decoding: stored.body, as: UTF8.self) == clock + #""deleted":true,"# + members)
    }
}
