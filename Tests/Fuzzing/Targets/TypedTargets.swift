internal import Foundation
internal import Records
internal import TOMLText

// What people type: filters, dates, recurrence, and the file with settings.
extension FuzzTarget {
    static let typed = [
        FuzzTarget(text: "filter") { text in
            let words = FilterPart.split(text).filter { !$0.isEmpty }
            guard let query = try parsed(words) else { return }
            let found = query.select(from: rows)
            try expect(query.select(from: found) == found, "a filter of its own result has another result")
            let options = words.contains { $0.hasPrefix("sort:") || $0.hasPrefix("limit:") }
            if !options, let opposite = try? Query(["not", "("] + words + [")"], dates: dates, types: .standard) {
                for row in rows where !query.readsLinks && !query.readsConflicts && !query.readsEdits {
                    try expect(
                        query.matches(row) != opposite.matches(row), "a filter and its opposite agree on \(row.id)")
                }
            }
            do throws(InputError) { _ = try SearchQuery(words, dates: dates, types: .standard) } catch {
                try expect(!error.description.isEmpty, "an error without a message")
            }
        },
        FuzzTarget(text: "date") { text in
            if let value = DateValue(text) { try expectSame(DateValue(value.description), value) }
            if let time = Timestamp(text) { try expectSame(Timestamp(time.description), time) }
            if let time = Timestamp(compact: text) { try expectSame(Timestamp(time.description), time) }
            if let day = CalendarDay(text) { try expectSame(CalendarDay(day.description), day) }
            if let time = LocalDateTime(text) { try expectSame(LocalDateTime(time.description), time) }
            for past in [DateExpression.PastTime.allowed, .nextDay] {
                let date: DateExpression
                do throws(DateError) { date = try DateExpression(text, in: dates, past: past) } catch {
                    try expect(!error.description.isEmpty, "an error without a message")
                    continue
                }
                try expectSame(DateValue(date.value.description), date.value)
                try expect(Timestamp.range.contains(date.moment.seconds), "the time is out of range")
            }
        },
        FuzzTarget(text: "recurrence") { text in
            if let value = Repeat(text) {
                try expectSame(Repeat(value.description), value)
                try expect(!value.words.isEmpty && !value.listText.isEmpty, "\(value) has no words")
                if let short = value.scriptText { try expectSame(Repeat(short), value) }
                if let other = value.todoTxt { try expect(Repeat(todoTxt: other) != nil, "\(other) isn't todo.txt's") }
                if let other = value.taskwarrior {
                    try expect(Repeat(taskwarrior: other) != nil, "\(other) isn't Taskwarrior's")
                }
            }
            _ = (Repeat(todoTxt: text), Repeat(taskwarrior: text))
            let rule: RecurrenceRule
            do throws(RecurrenceError) { rule = try RecurrenceRule(parsing: text) } catch {
                try expect(!error.description.isEmpty, "an error without a reason")
                return
            }
            let again = try mustParse(rule.description) { try RecurrenceRule(parsing: rule.description) }
            try expect(again == rule, "\(rule) is read as \(again)")
            var last: LocalDateTime?
            for time in rule.occurrences(from: start, in: .gmt).prefix(5) {
                try expect(last.map { $0 < time } ?? true, "\(time) isn't after its predecessor")
                last = time
            }
        },
        FuzzTarget(text: "toml") { text in
            let lines = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
            let document: TOMLDocument
            do throws(TOMLDocument.SyntaxError) { document = try TOMLDocument(text) } catch {
                try expect(!error.reason.isEmpty, "an error without a reason")
                return
            }
            for entry in document.entries {
                try expect(!entry.path.isEmpty, "an entry without a name")
                try expect(entry.line.map { (1...lines).contains($0) } ?? false, "an entry without a line of the text")
            }
        },
    ]

    private static let dates: DateExpression.Context = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return DateExpression.Context(now: Date(timeIntervalSince1970: 1_790_000_000), calendar: calendar)
    }()

    private static let start = LocalDateTime(CalendarDay(daysSince1970: 20_000), secondOfDay: 3_600)

    private static let rows: [QueryRow] = [
        QueryRow(
            collection: "tasks", id: "3f2a1b9c-0000-4000-8000-000000000001",
            fields: [
                "title": "Buy milk", "status": "pending", "tags": ["shop"], "due": "2026-09-21", "priority": "H",
                "project": "home.garden", "estimate": 3,
            ]),
        QueryRow(
            collection: "tasks", id: "3f2a1b9c-0000-4000-8000-000000000002",
            fields: ["title": "Call", "status": "completed", "end": "2026-09-01T10:00:00Z"], position: 1),
        QueryRow(
            collection: "notes", id: "3f2a1b9c-0000-4000-8000-000000000003",
            fields: ["title": "Garden plan", "body": "# Beds\nTomatoes, É"], position: 2),
    ]

    private static func parsed(_ words: [String]) throws -> Query? {
        do throws(InputError) { return try Query(words, dates: dates, types: .standard) } catch {
            try expect(!error.description.isEmpty, "an error without a message")
            return nil
        }
    }

    private static func expectSame<Value: Equatable>(_ read: Value?, _ value: Value) throws {
        try expect(read == value, "\(value) is read as \(read.map { "\($0)" } ?? "nothing")")
    }
}
