import Testing

@testable import Records
import struct Records.Record

@Suite("The next instance of a completed task")
struct NextInstanceTests {
    private let key = RecordKey(collection: "tasks", id: "11111111-1111-4111-8111-111111111111")

    private func moment(_ milliseconds: UInt64, _ device: String = "laptop") -> HLC {
        HLC(milliseconds: milliseconds, device: device)
    }

    /// Watering plants on Fridays at 15:00 in Berlin, completed. In `more`, null removes a field.
    private func done(_ more: JSONObject = [:], at end: String = "2026-11-27T16:00:00Z") -> Record {
        let fields: JSONObject = [
            "title": "Water plants", "status": "completed", "end": .string(end), "due": "2026-11-27T14:00:00Z",
            "entry": "2026-11-01T08:00:00Z", "repeat": "weekly", "repeatZone": "Europe/Berlin",
        ]
        return Record(
            key: key, fields: fields.applying(more),
            clock: FieldClocks(["*": moment(1), "status": moment(9), "end": moment(9), "title": moment(5, "desktop")]))
    }

    @Test("It is the same task, open, with the next due date, under an id derived from the last one's")
    func instance() throws {
        let next = try #require(
            NextInstance.record(
                after: done([
                    "tags": ["home"], "estimate": 3,
                    "annotations": [["entry": "2026-11-27T16:00:00Z", "description": "x"]],
                    "taskwarrior": ["seen"], "parent": "p", "imask": 3,
                ])))
        #expect(next.key.collection == "tasks" && next.key.id != key.id && next.key.isValid)
        #expect(Array(next.key.id)[14] == "8")
        #expect(
            next.fields == [
                "title": "Water plants", "status": "pending", "due": "2026-12-04T14:00:00Z",
                "entry": "2026-11-01T08:00:00Z", "repeat": "weekly", "repeatZone": "Europe/Berlin",
                "repeatFrom": "2026-11-27T14:00:00Z", "repeatOf": .string(key.id), "tags": ["home"], "estimate": 3,
            ])
    }

    @Test(
        "Its clocks are those of its source values; only that of its origin is the completion time"
    )
    func clocks() throws {
        let next = try #require(NextInstance.record(after: done()))
        #expect(next.clock["title"] == moment(5).carried && next.clock["status"] == moment(1).carried)
        var later = done(at: "2026-11-28T00:00:00Z")
        later.clock.stamp(["status", "end"], at: moment(99, "desktop"))
        let other = try #require(NextInstance.record(after: later))
        #expect(other.key == next.key && other.fields == next.fields)
        #expect(next.clock["repeatOf"] == moment(9).carried && other.clock["repeatOf"] == moment(99).carried)
        #expect(
            next.clock.moments.filter { $0.key != "repeatOf" } == other.clock.moments.filter { $0.key != "repeatOf" })
        #expect(next.clock.moments.values.allSatisfy { $0.isCarried })
    }

    @Test(
        "The next due date is the first of the series after both the due date and the completion",
        arguments: [
            ("2026-11-20T10:00:00Z", "2026-12-04T14:00:00Z"), ("2026-12-04T13:59:59Z", "2026-12-04T14:00:00Z"),
            ("2026-12-04T14:00:00Z", "2026-12-11T14:00:00Z"), ("2031-11-27T10:00:00Z", "2031-11-28T14:00:00Z"),
        ])
    func late(end: String, due: String) throws {
        #expect(NextInstance.record(after: done(at: end))?.fields["due"]?.string == due)
    }

    @Test("A series counts from its start; moving the due date off the series begins a new one")
    func start() throws {
        let january = ["due": "2027-02-28T10:00:00Z", "repeat": "monthly", "repeatZone": "GMT"] as JSONObject
        let anchored = done(january.applying(["repeatFrom": "2027-01-31T10:00:00Z"]), at: "2027-02-28T10:00:00Z")
        #expect(NextInstance.record(after: anchored)?.fields["due"] == "2027-03-31T10:00:00Z")
        #expect(NextInstance.record(after: anchored)?.fields["repeatFrom"] == "2027-01-31T10:00:00Z")
        let moved = done(
            january.applying(["repeatFrom": "2027-01-31T10:00:00Z", "due": "2027-02-15T10:00:00Z"]),
            at: "2027-02-15T10:00:00Z")
        #expect(NextInstance.record(after: moved)?.fields["due"] == "2027-03-15T10:00:00Z")
        #expect(NextInstance.record(after: moved)?.fields["repeatFrom"] == "2027-02-15T10:00:00Z")
    }

    @Test("A number of times is counted from the start of the series")
    func count() throws {
        let rule = ["repeat": "FREQ=WEEKLY;COUNT=3", "repeatFrom": "2026-11-13T14:00:00Z"] as JSONObject
        #expect(NextInstance.record(after: done(rule)) == nil)
        let earlier = rule.applying(["repeatFrom": "2026-11-20T14:00:00Z"])
        let next = try #require(NextInstance.record(after: done(earlier))).fields
        #expect((next["due"], next["repeatFrom"]) == ("2026-12-04T14:00:00Z", "2026-11-20T14:00:00Z"))
        #expect(next["repeat"] == "FREQ=WEEKLY;COUNT=3")
    }

    @Test(
        "An interval from the completion is counted from its day, at the time of day of the due date",
        arguments: [
            ("2026-11-25T10:00:00Z", "2026-11-28T14:00:00Z"), ("2026-11-29T22:59:59Z", "2026-12-02T14:00:00Z"),
            // Midnight in Berlin.
            ("2026-11-29T23:00:00Z", "2026-12-03T14:00:00Z"),
        ])
    func fromCompletion(end: String, due: String) throws {
        let rule: JSONObject = [
            "repeat": "FREQ=DAILY;INTERVAL=3;X-FROM=COMPLETION", "repeatFrom": "2026-11-01T14:00:00Z",
        ]
        let next = try #require(NextInstance.record(after: done(rule, at: end))).fields
        #expect(next["due"]?.string == due)
        #expect(next["repeatFrom"] == nil)
    }

    @Test("A series is counted in the time zone of its due time, and the next instance keeps the time zones")
    func zoneOfDue() throws {
        // Clocks in New York change on 8 March 2026, those in Berlin on 29 March.
        let typed = "2026-03-06T14:00:00Z[America/New_York]"
        let fields: JSONObject = ["due": .string(typed), "wait": "2026-03-05T08:00:00Z[Europe/Berlin]"]
        let next = try #require(NextInstance.record(after: done(fields, at: "2026-03-06T15:00:00Z"))).fields
        #expect(next["due"] == "2026-03-13T13:00:00Z[America/New_York]")
        #expect(next["repeatFrom"] == .string(typed))
        #expect(next["wait"] == "2026-03-12T08:00:00Z[Europe/Berlin]")
        #expect(next["repeatZone"] == "Europe/Berlin")
        // In the time zone of the interval, the clocks haven't changed yet.
        let old = done(["due": "2026-03-06T14:00:00Z"], at: "2026-03-06T15:00:00Z")
        #expect(NextInstance.record(after: old)?.fields["due"] == "2026-03-13T14:00:00Z")
    }

    @Test("A due time with a time zone continues the series of an earlier version, which has none")
    func seriesOfEarlierVersion() throws {
        let fields: JSONObject = [
            "repeat": "monthly", "repeatFrom": "2026-08-31T13:00:00Z", "due": "2026-11-30T14:00:00Z[Europe/Berlin]",
        ]
        let next = try #require(NextInstance.record(after: done(fields, at: "2026-11-30T15:00:00Z"))).fields
        #expect(next["due"] == "2026-12-31T14:00:00Z[Europe/Berlin]")
        #expect(next["repeatFrom"] == "2026-08-31T13:00:00Z[Europe/Berlin]")
    }

    @Test("An interval from the completion keeps the time zone of the due time, too")
    func zoneFromCompletion() throws {
        let fields: JSONObject = [
            "repeat": "FREQ=DAILY;INTERVAL=3;X-FROM=COMPLETION", "due": "2026-11-27T14:00:00Z[America/New_York]",
        ]
        // In New York it is still the 26th.
        let next = try #require(NextInstance.record(after: done(fields, at: "2026-11-27T04:00:00Z"))).fields
        #expect(next["due"] == "2026-11-29T14:00:00Z[America/New_York]")
    }

    @Test("Wait and scheduled times keep their distance in days, and their time of day")
    func moved() {
        let fields = NextInstance.record(
            after: done([
                "due": "2027-03-26T14:00:00Z", "wait": "2027-03-24T08:00:00Z", "scheduled": "2027-03-25T23:00:00Z",
            ]))?.fields
        #expect(fields?["due"] == "2027-04-02T13:00:00Z")
        #expect(fields?["wait"] == "2027-03-31T07:00:00Z")
        #expect(fields?["scheduled"] == "2027-04-01T22:00:00Z")
    }

    @Test("The last one is due on the day of the series' end, or before its time")
    func until() {
        // A day in Berlin begins at 23:00Z.
        #expect(NextInstance.record(after: done(["until": "2026-12-03T23:00:00Z"])) != nil)
        #expect(NextInstance.record(after: done(["until": "2026-12-02T23:00:00Z"])) == nil)
        #expect(NextInstance.record(after: done(["until": "2026-12-04T13:59:59Z"])) == nil)
        #expect(NextInstance.record(after: done(["until": "2026-12-04T14:00:00Z"])) != nil)
    }

    @Test(
        "An open task, one without a due date or a valid interval, and another type have no next instance",
        arguments: [
            ["status": "pending"], ["status": "deleted"], ["due": .null], ["due": "soon"], ["repeat": .null],
            ["repeat": "now and then"], ["repeat": 7],
        ] as [JSONObject])
    func none(patch: JSONObject) {
        #expect(NextInstance.record(after: done(patch)) == nil)
        var note = done()
        note.key = RecordKey(collection: "notes", id: key.id)
        #expect(NextInstance.record(after: note) == nil)
    }
}

@Suite("Effects of a task's change on its next instance")
struct RepeatStepTests {
    private let key = RecordKey(collection: "tasks", id: "a")
    private let at = HLC(milliseconds: 5, device: "laptop")
    private let policy = RepeatingTasks()

    private func task(_ status: String) -> Record {
        Record(
            key: key,
            fields: [
                "title": "a", "status": .string(status), "due": "2026-11-27T14:00:00Z", "repeat": "daily",
                "end": status == "completed" ? "2026-11-27T15:00:00Z" : .null,
            ], clock: FieldClocks(all: at))
    }

    @Test("Completing creates the next instance once; completing after an undo creates it again")
    func make() throws {
        let (open, done) = (task("pending"), task("completed"))
        let next = try #require(NextInstance.record(after: done))
        var held = Record(key: next.key, fields: next.fields, clock: next.clock)
        #expect(policy.consequence(from: open, to: done, successor: nil) == .make(next))
        #expect(policy.consequence(from: open, to: done, successor: held) == .nothing)
        held.deleted = true
        #expect(policy.consequence(from: open, to: done, successor: held) == .make(next))
        #expect(policy.consequence(from: done, to: done, successor: nil) == .nothing)
    }

    @Test("Reopening removes the next instance only if it is unchanged")
    func revert() throws {
        let (open, done) = (task("pending"), task("completed"))
        let next = try #require(NextInstance.record(after: done))
        var held = Record(key: next.key, fields: next.fields, clock: next.clock)
        #expect(
            policy.consequence(from: done, to: open, successor: held)
                == .revert(next.key, at: at, stamping: ["repeatOf"]))
        held.clock.stamp(["title"], at: at)
        #expect(
            policy.consequence(from: done, to: open, successor: held)
                == .revert(next.key, at: at, stamping: ["repeatOf"]))
        held.fields["title"] = "b"
        #expect(policy.consequence(from: done, to: open, successor: held) == .nothing)
        held.deleted = true
        #expect(policy.consequence(from: done, to: open, successor: held) == .nothing)
        #expect(policy.consequence(from: done, to: open, successor: nil) == .nothing)
    }
}

@Suite("Merging what two devices have created after the same task")
struct CarriedMergeTests {
    private func at(_ milliseconds: UInt64, _ device: String = "laptop") -> HLC {
        HLC(milliseconds: milliseconds, device: device)
    }

    /// The merge of two records that were created independently.
    private func merge(
        _ one: (JSONObject, [String: HLC]), _ other: (JSONObject, [String: HLC])
    ) -> ThreeWayMerge.Outcome {
        let sides = [one, other].map { fields, moments in
            var clock = FieldClocks()
            for (name, moment) in moments { clock.stamp([name], at: moment) }
            return ThreeWayMerge.Side(fields: fields, clock: clock)
        }
        return merged(base: nil, sides[0], sides[1])
    }

    @Test(
        "A value from a later edit of the last task wins without a conflict", arguments: ["title", "body"])
    func carried(field: String) {
        let (old, new) = (at(1).carried, at(7).carried)
        let merged = merge(([field: "old"], ["*": old]), ([field: "new"], ["*": old, field: new]))
        #expect(merged.fields == [field: "new"] && merged.conflicts.isEmpty)
        let removed = merge(([field: "old"], ["*": old]), ([:], ["*": old, field: new]))
        #expect(removed.fields.isEmpty && removed.conflicts.isEmpty)
    }

    @Test("Of two carried values the later wins without a conflict, also if an older copy is known")
    func carriedTwice() {
        let side = { (title: String, time: UInt64) in
            ThreeWayMerge.Side(
                fields: ["title": .string(title)], clock: FieldClocks(["*": at(1).carried, "title": at(time).carried]))
        }
        for base in [nil, side("oldest", 1)] {
            let outcome = merged(base: base, side("older", 5), side("newer", 7))
            #expect(outcome.fields == ["title": "newer"] && outcome.conflicts.isEmpty)
        }
    }

    @Test("An interval that an earlier version stored and its rule are the same value")
    func formerTexts() {
        let side = { (rule: String, time: UInt64) in
            ThreeWayMerge.Side(
                fields: ["repeat": .string(rule)], clock: FieldClocks(["*": at(1), "repeat": at(time)]))
        }
        for base in [nil, side("2w", 1)] {
            let same = merged(base: base, side("2w", 5), side("FREQ=WEEKLY;INTERVAL=2", 7))
            #expect(same.fields == ["repeat": "FREQ=WEEKLY;INTERVAL=2"] && same.conflicts.isEmpty)
        }
        // The text alone was changed on one side, so the other side's interval is the only edit.
        let other = merged(base: side("2w", 1), side("FREQ=WEEKLY;INTERVAL=2", 7), side("FREQ=DAILY", 5))
        #expect(other.fields == ["repeat": "FREQ=DAILY"] && other.conflicts.isEmpty)
        let both = merged(base: side("2w", 1), side("FREQ=WEEKLY;INTERVAL=3", 7), side("FREQ=DAILY", 5))
        #expect(both.fields == ["repeat": "FREQ=WEEKLY;INTERVAL=3"] && both.conflicts.count == 1)
    }

    @Test("Of two due dates that were counted from one, the later wins")
    func dues() {
        let clock = ["*": at(1).carried]
        let merged = merge((["due": "2026-12-04T14:00:00Z"], clock), (["due": "2026-12-11T14:00:00Z"], clock))
        #expect(merged.fields == ["due": "2026-12-11T14:00:00Z"] && merged.conflicts.isEmpty)
    }

    @Test("Edits of the next instance win over its initial values on another device, including tags")
    func edited() {
        let carried = ["*": at(1).carried]
        let merged = merge(
            (
                ["title": "mine", "status": "completed", "tags": ["b"]],
                carried.merging(["title": at(5), "status": at(6), "tags": at(6)]) { $1 }
            ),
            (["title": "old", "status": "pending", "tags": ["a", "b"]], carried))
        #expect(merged.fields == ["title": "mine", "status": "completed", "tags": ["b"]] && merged.conflicts.isEmpty)
    }

    @Test("An instance that undo removed returns by a later or an unknown completion; a deleted one never")
    func removedByUndo() {
        let made = { (moment: HLC) in
            ThreeWayMerge.Side(
                fields: ["title": "a", "repeatOf": "x"],
                clock: FieldClocks(["*": at(1).carried, "repeatOf": moment.carried]))
        }
        let gone = { (moment: HLC) in
            ThreeWayMerge.Side(
                fields: [:], clock: FieldClocks(["*": at(1).carried, "repeatOf": moment]), deleted: true)
        }
        for base in [nil, made(at(2))] {
            #expect(!merged(base: base, made(at(9, "desktop")), gone(at(5))).deleted)
            #expect(merged(base: base, made(at(4, "desktop")), gone(at(5))).deleted == (base != nil))
            #expect(merged(base: base, made(at(9, "desktop")), gone(at(5).carried)).deleted)
        }
    }

    @Test("An edit that loses against a later edit of the last task is a conflict")
    func lost() {
        let merged = merge(
            (["title": "mine"], ["*": at(1).carried, "title": at(5)]),
            (["title": "later"], ["*": at(1).carried, "title": at(7).carried]))
        #expect(merged.fields == ["title": "later"])
        #expect(merged.conflicts.map(\.field) == ["title"])
    }

    @Test("Tags of both sides are kept")
    func tags() {
        let merged = merge(
            (["tags": ["a", "b"]], ["*": at(1).carried, "tags": at(4).carried]),
            (["tags": ["a", "c"]], ["*": at(1).carried, "tags": at(7).carried]))
        #expect(merged.fields["tags"] == ["a", "b", "c"] && merged.conflicts.isEmpty)
    }
}
