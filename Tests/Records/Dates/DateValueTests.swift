import Foundation
import Testing

@testable import Records

@Suite("Days and times of date fields") struct DateValueTests {
    private static let zones = ["Pacific/Auckland", "Europe/Vilnius", "GMT", "America/Los_Angeles"]

    private func context(_ zone: String, at now: String = "2026-12-24T12:00:00Z") throws -> DateExpression.Context {
        try DateExpressionTests.context(now, zone: zone)
    }

    @Test("a stored text is a day or a time", arguments: ["2026-12-24", "2026-12-24T14:00:00Z", "0000-02-29"])
    func texts(text: String) throws {
        let value = try #require(DateValue(text))
        #expect(value.description == text && DateValue.read(.string(text)) == value && value.stored == .string(text))
        if case .day = value { #expect(text.count == 10) } else { #expect(text.count == 20) }
    }

    @Test("any other text is neither", arguments: ["", "2026-02-30", "2026-12-24 14:00", "2026-12-24Z", "tomorrow"])
    func otherTexts(text: String) { #expect(DateValue(text) == nil) }

    @Test("a typed day is stored as that day in every time zone, a time of day as a time", arguments: zones)
    func typed(zone: String) throws {
        let context = try context(zone, at: "2026-12-20T09:00:00Z")
        let due = try #require(TaskRecord.type.catalog[FieldKey.due.name])
        #expect(try due.value(typed: "2026-12-24", context) == "2026-12-24")
        #expect(try due.value(typed: "24 dec", context) == "2026-12-24")
        let time = try due.value(typed: "2026-12-24 14:00", context)
        #expect(DateValue.read(time).map { if case .time = $0 { true } else { false } } == true)
        // Each is typed again as it is shown to be edited.
        for value in ["2026-12-24", time] {
            #expect(try due.value(typed: #require(due.typed(value, context)), context) == value)
        }
    }

    @Test("a stored time at the start of a day is edited as that day") func startOfDay() throws {
        let context = try context("Europe/Vilnius")
        let due = try #require(TaskRecord.type.catalog[FieldKey.due.name])
        #expect(due.typed("2026-12-23T22:00:00Z", context) == "2026-12-24")
        #expect(due.typed("2026-12-23T22:00:01Z", context) == "2026-12-24 00:00:01")
    }

    @Test("a filter finds a day in every time zone", arguments: zones) func filters(zone: String) throws {
        let row = QueryRow(collection: "tasks", id: "a", fields: ["title": "a", "due": "2026-12-24"])
        let table: [(String, Bool)] = [
            ("due:2026-12-24", true), ("due:2026-12-23", false), ("due:2026-12-25", false), ("due<2026-12-24", false),
            ("due<=2026-12-24", true), ("due>2026-12-24", false), ("due>=2026-12-24", true), ("due>2026-12-23", true),
            ("due<2026-12-25", true),
        ]
        for (word, isFound) in table {
            let query = try Query([word], dates: context(zone, at: "2026-11-22T03:43:00Z"), types: .standard)
            #expect(query.matches(row) == isFound, "\(word)")
        }
        for (now, isOverdue) in [("2026-12-22T12:00:00Z", false), ("2026-12-26T12:00:00Z", true)] {
            let query = try Query(["overdue"], dates: context(zone, at: now), types: .standard)
            #expect(query.matches(row) == isOverdue, "\(now)")
        }
    }

    @Test("a day is sorted at its start among times of the day before and of the day", arguments: zones)
    func order(zone: String) throws {
        let context = try context(zone)
        let times = try ["2026-12-23 23:59", "2026-12-24 00:01"].map { try DateExpression($0, in: context).value }
        let values = [times[1], times[0], .day(try #require(CalendarDay("2026-12-24")))]
        let rows = zip(["after", "before", "day"], values).map { id, due in
            QueryRow(collection: "tasks", id: id, fields: ["title": "a", "due": .string(due.description)])
        }
        let query = try Query(["sort:due"], dates: context, types: .standard)
        #expect(query.select(from: rows).map(\.id) == ["before", "day", "after"])
    }

    @Test("the day of a time, and the start of a day, in a zone whose day may begin at 01:00") func startOfDays() throws
    {
        let calendar = LocalTime.calendar(in: try #require(TimeZone(identifier: "Africa/Cairo")))
        for text in ["2026-04-23", "2026-04-24", "2026-10-29", "2026-10-30", "1969-12-31"] {
            let day = try #require(CalendarDay(text))
            let start = day.start(in: calendar)
            #expect(CalendarDay(start.date, in: calendar) == day)
            #expect(CalendarDay(start.date.addingTimeInterval(-1), in: calendar) == day.adding(days: -1))
            #expect(DateValue(start, wholeDayIn: calendar.timeZone) == .day(day))
        }
    }
}
