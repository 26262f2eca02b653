import Foundation
import Testing

@testable import Records

/// 1 December 2026, 17:00 in Berlin is 11:00 in New York.
@Suite("Times with their time zone") struct ZonedTimeTests {
    private static let stored = "2026-12-01T16:00:00Z[Europe/Berlin]"
    private static let inUTC = "2026-12-01T16:00:00Z"

    private func context(_ zone: String, at now: String = "2026-11-21T09:30:15Z") throws -> DateExpression.Context {
        try DateExpressionTests.context(now, zone: zone)
    }

    private func due() throws -> Field { try #require(TaskRecord.type.catalog[FieldKey.due.name]) }

    // MARK: The text

    @Test(
        "a stored text has the name of a time zone, also of one that this system doesn't know",
        arguments: [
            (stored, "Europe/Berlin"), ("2026-12-01T16:00:00Z[America/Argentina/Ushuaia]", "America/Argentina/Ushuaia"),
            ("2026-12-01T16:00:00Z[Etc/GMT-14]", "Etc/GMT-14"), ("2026-12-01T16:00:00Z[Mars/Olympus_Mons]", nil),
            ("2026-12-01T16:00:00Z[UTC]", "UTC"),
        ] as [(String, String?)])
    func texts(text: String, known: String?) throws {
        let value = try #require(DateValue(text))
        #expect(value.description == text && value.stored == .string(text))
        #expect(value.withoutZone.description == Self.inUTC && value.withoutZone.zone == nil)
        if let known { #expect(value.zone?.text == known && value.zone?.timeZone != nil) }
    }

    @Test(
        "any other text is neither a day nor a time",
        arguments: [
            "2026-12-01[Europe/Berlin]", "2026-12-01T16:00:00[Europe/Berlin]", "2026-12-01T16:00:00Z[]",
            "2026-12-01T16:00:00Z[+01:00]", "2026-12-01T16:00:00Z[Europe/Berlin",
            "2026-12-01T16:00:00Z[Europe//Berlin]",
            "2026-12-01T16:00:00Z[../../etc/passwd]", "2026-12-01T16:00:00Z[Europe/./Berlin]",
            "2026-12-01T16:00:00Z[Europe/Bérlin]", "2026-12-01T16:00:00Z[Europe/Berlin][u-ca=hebrew]",
            "[Europe/Berlin]",
        ])
    func otherTexts(text: String) { #expect(DateValue(text) == nil) }

    @Test("a time with an offset and a time zone is the same time in UTC") func offset() {
        #expect(DateValue("2026-12-01T17:00:00+01:00[Europe/Berlin]")?.description == Self.stored)
    }

    // MARK: Typing

    @Test(
        "a typed time is stored with the time zone of the device; UTC and fixed offsets have no name",
        arguments: [
            ("Europe/Berlin", stored), ("America/New_York", "2026-12-01T22:00:00Z[America/New_York]"),
            ("UTC", "2026-12-01T17:00:00Z"), ("GMT", "2026-12-01T17:00:00Z"), ("Etc/UTC", "2026-12-01T17:00:00Z"),
            ("GMT+0300", "2026-12-01T14:00:00Z"),
        ])
    func typed(zone: String, text: String) throws {
        #expect(try due().value(typed: "2026-12-01 17:00", context(zone)) == .string(text))
    }

    @Test("a typed offset has the time zone that is typed, or none; a day and a time of the past never have one")
    func typedOffset() throws {
        let berlin = try context("Europe/Berlin")
        #expect(try due().value(typed: "2026-12-01T16:00Z", berlin) == .string(Self.inUTC))
        #expect(try due().value(typed: "20261201T160000Z", berlin) == .string(Self.inUTC))
        #expect(try due().value(typed: Self.stored, context("America/New_York")) == .string(Self.stored))
        #expect(try due().value(typed: "2026-12-01", berlin) == "2026-12-01")
        let end = try #require(TaskRecord.type.catalog[FieldKey.end.name])
        #expect(try end.value(typed: "2026-11-01 17:00", berlin) == .string(Self.inUTC.replacing("-12-", with: "-11-")))
    }

    @Test(
        "a time is edited as the local time of the device",
        arguments: [("Europe/Berlin", "2026-12-01 17:00"), ("America/New_York", "2026-12-01 11:00")])
    func typedAgain(zone: String, text: String) throws {
        #expect(try due().typed(.string(Self.stored), context(zone)) == text)
        #expect(try due().typed(.string(Self.inUTC), context(zone)) == text)
    }

    @Test("a value of this form is accepted from programs") func accepted() throws {
        try FieldLimits.checkKinds(of: ["due": .string(Self.stored)], on: [:], TaskRecord.type.catalog)
        #expect(throws: InvalidField.self) {
            try FieldLimits.checkKinds(of: ["due": "2026-12-01T16:00:00Z[?]"], on: [:], TaskRecord.type.catalog)
        }
    }

    // MARK: Reading

    @Test("filters and orders see the time, whatever its time zone", arguments: ["Europe/Berlin", "America/New_York"])
    func queries(zone: String) throws {
        let rows = [
            ("later", "2026-12-01T16:30:00Z"), ("zoned", Self.stored), ("earlier", "2026-12-01T15:30:00Z[Asia/Tokyo]"),
        ].map { QueryRow(collection: "tasks", id: $0, fields: ["title": "a", "due": .string($1)]) }
        let select = { (words: [String]) in
            try Query(words, dates: self.context(zone), types: .standard).select(from: rows).map(\.id)
        }
        #expect(try select(["sort:due"]) == ["earlier", "zoned", "later"])
        #expect(try select(["due<2026-12-01T16:00:00Z"]) == ["earlier"])
        #expect(try select(["due:2026-12-01T16:00:00Z"]) == ["zoned"])
        #expect(try select(["due:\(Self.stored)"]) == ["zoned"])
        #expect(try select(["due:2026-12-01", "sort:due"]) == ["earlier", "zoned", "later"])
    }

    @Test("it is overdue after its time everywhere", arguments: ["Europe/Berlin", "America/New_York"])
    func overdue(zone: String) throws {
        let value = try #require(DateValue(Self.stored))
        #expect(try !Horizon(context(zone, at: Self.inUTC)).isOverdue(value))
        #expect(try Horizon(context(zone, at: "2026-12-01T16:00:01Z")).isOverdue(value))
    }

    @Test("lists show the local time")
    func words() throws {
        let value = try #require(DateValue(Self.stored))
        let now = "2026-11-30T12:00:00Z"
        #expect(try DateWords(context("Europe/Berlin", at: now)).words(for: value) == "tomorrow 17:00")
        #expect(try DateWords(context("America/New_York", at: now)).short(for: value) == "tomorrow 11:00")
    }

    @Test(
        "its own time of day is named where clocks show another one",
        arguments: [
            (stored, "America/New_York", "17:00 Europe/Berlin"),
            (stored, "Asia/Tokyo", "2026-12-01 17:00 Europe/Berlin"),
            (stored, "Europe/Berlin", nil), (stored, "Europe/Paris", nil), (inUTC, "America/New_York", nil),
            // In July, clocks in Berlin and in Cape Town show the same.
            ("2026-07-01T15:00:00Z[Europe/Berlin]", "Africa/Johannesburg", nil),
            (stored, "Africa/Johannesburg", "17:00 Europe/Berlin"), ("2026-12-01", "America/New_York", nil),
            ("2026-12-01T16:00:00Z[Mars/Olympus_Mons]", "America/New_York", nil),
        ] as [(String, String, String?)])
    func wallTime(text: String, zone: String, shown: String?) throws {
        let zone = try #require(TimeZone(identifier: zone))
        #expect(try #require(DateValue(text)).wallTime(ifDifferentFrom: zone) == shown)
    }

    @Test("programs get the time in UTC, and values of other programs as they are")
    func programs() {
        let fields: JSONObject = [
            "due": .string(Self.stored), "wait": "2026-12-01T16:00:00Z[?]", "entry": "2026-11-01",
        ]
        let expected = fields.applying(["due": .string(Self.inUTC)])
        #expect(TaskRecord.type.catalog.typed(fields) == expected)
    }

    // MARK: Merging

    @Test("two devices that set the same time agree, and the later time zone is kept") func sameTime() {
        let base = side(["title": "a"])
        let other = "2026-12-01T16:00:00Z[America/New_York]"
        for (mine, theirs) in [(Self.stored, other), (Self.stored, Self.inUTC), (Self.inUTC, other)] {
            let outcome = merged(
                base: base, side(["title": "a", "due": .string(mine)], ["due": 5]),
                side(["title": "a", "due": .string(theirs)], ["due": 6]))
            #expect(outcome.fields["due"] == .string(theirs))
            #expect(outcome.conflicts.isEmpty)
        }
    }

    @Test("of two different times the later edit is kept with its own time zone, and the other is a conflict")
    func differentTimes() throws {
        let (mine, theirs) = ("2026-12-01T09:00:00Z[Asia/Tokyo]", "2026-12-02T22:00:00Z[America/New_York]")
        let outcome = merged(
            base: side(["due": .string(Self.stored)]), side(["due": .string(mine)], ["due": 6]),
            side(["due": .string(theirs)], ["due": 5]))
        #expect(outcome.fields["due"] == .string(mine))
        let conflict = try #require(outcome.conflicts.first)
        #expect(conflict.earlier.value == .string(theirs))
    }

    @Test("another time wins over the same time in another time zone") func zoneAlone() {
        let base = side(["due": .string(Self.inUTC)])
        let moved = "2026-12-02T16:00:00Z[Asia/Tokyo]"
        let outcome = merged(
            base: base, side(["due": .string(Self.stored)], ["due": 6]), side(["due": .string(moved)], ["due": 5]))
        #expect(outcome.fields["due"] == .string(moved))
        #expect(outcome.conflicts.isEmpty)
    }

    @Test("an edit of another field leaves a time of an earlier version as it is stored") func untouched() {
        let old: JSONObject = ["title": "a", "due": "2026-12-01T17:00:00+01:00"]
        let outcome = merged(
            base: side(old), side(old.applying(["title": "b"]), ["title": 5]),
            side(old.applying(["priority": "H"]), ["priority": 6]))
        #expect(outcome.fields == old.applying(["title": "b", "priority": "H"]))
    }

    @Test("The day of `someday` is shown by its name")
    func someday() throws {
        let words = try DateWords(context("Europe/Berlin"))
        let day = try #require(DateValue("9999-12-30"))
        #expect(words.short(for: day) == "someday" && words.words(for: day) == "someday")
        #expect(words.short(for: try #require(DateValue("9999-12-29"))) == "29 Dec 9999")
    }
}
