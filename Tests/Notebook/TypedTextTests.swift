import Foundation
import Interchange
import Records
import Testing

@testable import Notebook

@Suite("A record as text")
struct TypedTextTests {
    private static let key = RecordKey(collection: "tasks", id: "aa")
    private static let fields: JSONObject = [
        "title": "Buy milk", "tags": ["shop", "food"], "due": "2026-12-01T09:30:00Z", "status": "pending",
        "estimate": 3, "code": "3", "custom": ["deep": true], "priority": "odd", "body": "2 litres\nof it",
        "annotations": [["entry": "2026-11-21T05:20:00Z", "description": "hm"]], "taskwarrior": ["title:9f86d081"],
        "base": "mine", "until": "whenever",
    ]
    private static let dates: DateExpression.Context = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = TimeZone(identifier: "Europe/Berlin") ?? .gmt
        return .init(now: Date(timeIntervalSince1970: 1_800_000_000), calendar: calendar)
    }()

    private func text(of fields: JSONObject = fields, _ key: RecordKey = key) -> String {
        EditableText(key, fields, dates: Self.dates, types: .standard).text
    }

    /// The edits parsed from a text that was made from `fields` and edited.
    private func patch(
        _ fields: JSONObject = fields, _ edit: (String) -> String
    ) throws -> JSONObject {
        let original = text(of: fields)
        return try TypedText(
            RecordText(parsing: edit(original)), from: RecordText(parsing: original), of: fields, dates: Self.dates,
            body: TaskRecord.type.body, catalog: RecordTypes.standard.catalog(for: Self.key.collection)
        ).patch
    }

    @Test("The fields are on top, the most edited first, as users type them; then the body")
    func layout() {
        let lines = text(of: ["title": "A: b", "due": "2026-11-30T23:00:00Z", "x": "odd", "body": "one\ntwo"])
            .split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.hasPrefix("base:") }
        #expect(
            lines == [
                "---", "title: \"A: b\"", "tags:", "project:", "due: 2026-12-01", "repeat:", "until:", "priority:",
                "status:", "x: odd", "id: aa", "---", "one", "two",
            ])
        #expect(
            text(of: ["title": "Note"], RecordKey(collection: "notes", id: "nn")).contains("title: Note\ntags:\n# "))
    }

    @Test("An unchanged text changes nothing, whatever the fields hold")
    func untouched() throws {
        #expect(try patch { $0 } == [:])
        for body in ["", "\n", "\n\nx", "a\n", "a\r\nb\r\n", "---\nx", " ", "a\rb"] {
            #expect(try patch(["title": "t", "body": .string(body)]) { $0 } == [:], "\(body.debugDescription)")
        }
        for value in ["-", "[a", "'", "#1", "a: b", "true", "2026", " x ", "a\nb", "\u{FEFF}", "+3d"] {
            #expect(try patch(["title": "t", "project": .string(value), "own": .string(value)]) { $0 } == [:])
        }
        // The hour that is repeated at the end of daylight saving.
        for moment in ["2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", "2026-11-21T05:20:07Z", "0001-01-01T00:00:00Z"] {
            #expect(try patch(["title": "t", "due": .string(moment)]) { $0 } == [:], "\(moment)")
        }
    }

    @Test("A time that was typed in another time zone is edited as the local time, and unchanged by that")
    func otherZone() throws {
        let stored: JSONObject = ["title": "Call", "due": "2026-12-01T16:00:00Z[America/New_York]"]
        #expect(text(of: stored).contains("due: 2026-12-01 17:00\n"))
        #expect(try patch(stored) { $0.replacing("title: Call", with: "title: Ring") } == ["title": "Ring"])
        let later = try patch(stored) { $0.replacing("17:00", with: "18:00") }
        #expect(later == ["due": "2026-12-01T17:00:00Z[Europe/Berlin]"])
        // A local time that clocks show twice is edited as it is stored.
        let twice: JSONObject = ["title": "Call", "due": "2026-10-25T01:30:00Z[America/New_York]"]
        #expect(text(of: twice).contains("due: 2026-10-25T01:30:00Z[America/New_York]\n"))
        #expect(try patch(twice) { $0 } == [:])
    }

    @Test("Only changes are edits; an empty value or a missing line removes a field")
    func changes() throws {
        let edited = try patch {
            $0.replacing("title: Buy milk", with: "title: Buy: oat milk")
                .replacing("due: 2026-12-01 10:30", with: "due:2026-12-02")
                .replacing("tags: shop food", with: "tags: +shop, vegan")
                .replacing("estimate: 3", with: "estimate: 4").replacing("code: \"3\"", with: "code: x")
                .replacing("custom: {\"deep\":true}\n", with: "field.new: [1, 2]\n")
                .replacing("status: pending", with: "status:").replacing("2 litres", with: "1 litre")
        }
        #expect(
            edited == [
                "title": "Buy: oat milk", "due": "2026-12-02", "tags": ["shop", "vegan"], "estimate": 4,
                "code": "x", "custom": .null, "new": [1, 2], "status": .null, "body": "1 litre\nof it",
            ])
    }

    @Test(
        "A repeating task's interval is edited as it is typed; what its series counts from follows, and isn't shown")
    func repeating() throws {
        let fields: JSONObject = [
            "title": "Rent", "due": "2026-11-30T23:00:00Z", "repeat": "2w", "repeatZone": "Asia/Tokyo",
            "repeatFrom": "2026-11-16T23:00:00Z", "repeatOf": "zz", "until": "2027-06-29T22:00:00Z",
        ]
        #expect(text(of: fields).contains("repeat: 2w\nuntil: 2027-06-30\n"))
        #expect(!text(of: fields).contains("repeatZone") && !text(of: fields).contains("repeatOf"))
        #expect(try patch(fields) { $0 } == [:])
        #expect(
            try patch(fields) { $0.replacing("repeat: 2w", with: "repeat: every 3 weeks") } == [
                "repeat": "FREQ=WEEKLY;INTERVAL=3", "repeatZone": "Europe/Berlin", "repeatFrom": .null,
            ])
        let isOff: JSONObject = ["repeat": .null, "repeatZone": .null, "repeatFrom": .null]
        for off in ["repeat:\n", ""] {
            #expect(try patch(fields) { $0.replacing("repeat: 2w\n", with: off) } == isOff)
        }
        #expect(try patch(fields) { $0.replacing("until: 2027-06-30", with: "until:") } == ["until": .null])
        for (typed, reason) in [("repeat: seldom", "as an interval"), ("repeatFrom: x", "derived from")] {
            let unreadable = try #require(throws: TypedText.Unreadable.self) {
                try patch(fields) { $0.replacing("repeat: 2w", with: typed) }
            }
            #expect(unreadable.reasons.joined().contains(reason))
        }
    }

    @Test("A body may be added below an empty line, and removed")
    func bodies() throws {
        let bare: JSONObject = ["title": "t"]
        #expect(try patch(bare) { $0 + "\none\n" } == ["body": "one"])
        #expect(try patch(bare) { $0 + "\n\n" } == [:])
        #expect(try patch(bare) { $0 + "no line end" } == ["body": "no line end"])
        #expect(try patch { $0.replacing("2 litres\nof it\n", with: "") } == ["body": .null])
    }

    @Test("An editor's CRLF or byte order mark changes nothing")
    func editors() throws {
        let crlf = { (text: String) in text.replacing("\n", with: "\r\n") }
        #expect(try patch { crlf($0) } == [:])
        #expect(try patch { "\u{FEFF}" + String($0.dropLast()) } == [:])
        #expect(try patch { crlf($0.replacing("of it", with: "of\nit")) } == ["body": "2 litres\nof\nit"])
        let windows: JSONObject = ["title": "t", "body": "a\r\nb\r\n"]
        let rewritten = { (text: String) in crlf(text.replacing("\r\n", with: "\n")) }
        #expect(try patch(windows, rewritten) == [:])
        #expect(try patch(["title": "t", "body": "a\r\nb\nc"], rewritten) == [:])
        #expect(try patch(windows) { rewritten($0.replacing("title: t", with: "title: u")) } == ["title": "u"])
        #expect(try patch { crlf($0.replacing("title: Buy milk", with: "title: Oats")) } == ["title": "Oats"])
    }

    @Test(
        "Invalid values are reported, all at once",
        arguments: [
            ("title: Buy milk", "title:", "The title is empty"),
            ("due: 2026-12-01 10:30", "due: whenever", "as a date"),
            ("project:", "porject: x", "Did you mean “project:”?"), ("project:", "colour: x", "field.colour"),
            ("project:", "body: x", "below the second ---"), ("project:", "annotations: x", "`annotate`"),
            ("priority: odd", "priority: Z", "Unknown priority"),
        ])
    func refusals(old: String, new: String, expected: String) throws {
        let unreadable = try #require(throws: TypedText.Unreadable.self) {
            try patch { $0.replacing(old, with: new).replacing("until: whenever", with: "until: never-ever") }
        }
        #expect(unreadable.reasons.count == 2)
        #expect(unreadable.reasons.joined().contains(expected) && unreadable.reasons.joined().contains("never-ever"))
    }

    @Test("A text without fields, with an invalid line, or with a duplicate one is refused")
    func faults() {
        for (text, reason) in [
            ("no fields", "between two lines"), ("---\ntitle: a\n", "between two lines"),
            ("---\ntitle\n---\n", "isn't of the form “name: value”"), ("---\na: 1\na: 2\n---\n", "occurs twice"),
            ("---\na: | b\n---\n", "in quotes"),
        ] {
            let fault = #expect(throws: RecordText.Fault.self) { try RecordText(parsing: text) }
            #expect(fault?.reason.contains(reason) == true, "\(text)")
        }
    }

    @Test("The reasons for a refusal are on top of the text, once, and are removed before it is parsed again")
    func refusal() throws {
        let typed = "---\ndue: x\n---\nbody\n"
        let first = Refusal(typed, reasons: ["One.", "Two\nlines."])
        #expect(first.text.hasPrefix("---\n# ! One.\n# ! Two lines.\n# ! Fix it"))
        #expect(Refusal.removed(from: first.text) == typed)
        #expect(Refusal(first.text, reasons: ["Three."]).text.components(separatedBy: "# ! ").count == 3)
        for broken in ["", "x", "# ! x", "a\r\nb\r\n", "---\r\na: b\r\n---\r\n"] {
            let cleared = Refusal.removed(from: broken)
            #expect(Refusal.removed(from: Refusal(broken, reasons: ["Why."]).text) == cleared)
        }
    }
}
