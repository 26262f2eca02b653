import Foundation
import Records
import Testing

@testable import Interchange

@Suite("Import from Taskwarrior")
struct TaskwarriorImportTests {
    @Test("a real export keeps ids, texts, dates, tags and annotations; what Taskwarrior computes is omitted")
    func realExport() throws {
        let tasks = try Taskwarrior.parse(Array(Samples.export.utf8))
        #expect(tasks.count == 4)
        let first = try #require(tasks.first)
        #expect(first.key == RecordKey(collection: "tasks", id: "fd807e08-ea2c-1711-fa57-f2044b3e3395"))
        #expect(
            first.fields == [
                "title": "Pass rc.weekstart to libshared for ISO8601 weeknum parsing if \"monday\" (#3654)",
                "due": "2024-12-22T20:00:50Z", "entry": "2024-10-19T20:00:50Z", "modified": "2026-11-21T05:52:12Z",
                "project": "cli.reports", "status": "pending",
                "annotations": [
                    [
                        "entry": "2024-10-19T20:00:50Z",
                        "description": "* libshared: bump for weekstart, epoch defines, eopww fix",
                    ],
                    [
                        "entry": "2024-10-19T20:00:51Z",
                        "description": "mainly those visible changes, and miscellaneous others",
                    ],
                ],
            ])
        #expect(tasks.allSatisfy { $0.key.isValid && $0.fields["id"] == nil && $0.fields["urgency"] == nil })
        #expect(tasks.contains { TaskRecord(fields: $0.fields).status == .completed })
    }

    @Test("one object per line is accepted as well, with or without a byte order mark")
    func lines() throws {
        let text = "\u{FEFF}\(Self.entry("a"))\n\n\(Self.entry("b"))\r\n"
        #expect(try Taskwarrior.parse(Array(text.utf8)).map { $0.fields["title"] } == ["a", "b"])
        #expect(try Taskwarrior.parse(Array(" [] ".utf8)).isEmpty)
    }

    @Test(
        "tasks are parsed one by one, in any order and several times",
        arguments: [("[", ", \n", "]"), (" ", "\n\n", ""), ("\u{FEFF}[", ",", "]")] as [(String, String, String)])
    func oneByOne(begin: String, separator: String, end: String) throws {
        let text = begin + Self.entry("Ä") + separator + Self.entry("b") + end
        let records = try Taskwarrior.codec.records(in: text)
        #expect(records.count == 2)
        for index in [1, 0, 1] {
            #expect(try records.record(at: index).fields["title"] == ["Ä", "b"][index])
        }
    }

    @Test(
        "a description of several lines becomes a title and a body, without loss of text",
        arguments: [
            ("Buy milk\nand oats\n\n- two", "Buy milk", "and oats\n\n- two"), ("\n \n  Buy milk\n", "  Buy milk", nil),
            ("Buy milk\r\nand oats", "Buy milk", "and oats"), ("One line", "One line", nil),
        ] as [(String, String, String?)])
    func severalLines(description: String, title: String, body: String?) throws {
        let text = JSONValue.string(description).text
        let entry = #"{"uuid": "3a1461f5-33fe-c6f3-8e22-1d93b5ba290f", "description": \#(text), "body": "theirs"}"#
        let task = try #require(try Taskwarrior.parse(Array(entry.utf8)).first)
        #expect(task.fields["title"]?.string == title)
        #expect(task.fields["body"]?.string == body)
        #expect(task.fields["taskwarrior.body"] == "theirs")
    }

    @Test("unknown attributes keep name and value; names of Satchel's fields get a prefix")
    func unknownAttributes() throws {
        let task = try Self.task(
            "a",
            #""estimate": 1.50, "recur": "weekly", "x": {"y": [null]}, "title": "T", "depends": ["u"], "nil": null"#)
        #expect(
            task.fields == [
                "title": "a", "estimate": .number(try #require(JSONNumber(1.5))), "recur": "weekly",
                "x": ["y": [.null]], "taskwarrior.title": "T", "depends": ["u"],
            ])
        #expect(task.fields["estimate"]?.text == "1.50")
    }

    @Test(
        "one invalid entry, and nothing is imported; the message names the entry and the reason",
        arguments: [
            (#"{"description": "a"}"#, "entry 2: it has no uuid"), (#"5"#, "entry 2: it isn't a JSON object"),
            (#"{"uuid": "x/../y", "description": "a"}"#, "entry 2: its uuid “x/../y” isn't valid"),
            (#"{"uuid": "3a1461f5-33fe-c6f3-8e22-1d93b5ba290g", "description": "a"}"#, "isn't valid"),
            (#"{"uuid": "3a1461f5-33fe-c6f3-8e22-1d93b5ba290f"}"#, "it has no description"),
            (#"{"uuid": "3a1461f5-33fe-c6f3-8e22-1d93b5ba290f", "description": " "}"#, "its description"),
            (entry("a", #""due": "soon""#, uuid: 7), "its due \"soon\" isn't a date"),
            (entry("a", #""due": 5"#, uuid: 7), "its due 5 isn't a date"),
            (entry("a", #""due": "20240230T000000Z""#, uuid: 7), "isn't a date"),
            (entry("a", #""tags": "x""#, uuid: 7), "its tags"),
            (entry("a", #""annotations": [{"entry": "x"}]"#, uuid: 7), "an annotation lacks"),
            (entry("a", #""annotations": [{"entry": "x", "description": "d"}]"#, uuid: 7), "annotation's entry"),
            (entry("a", #""body": "\#(String(repeating: "x", count: 1 << 20))""#, uuid: 7), "larger than 1 MiB"),
            (
                entry(String(repeating: "x", count: 20_000), uuid: 7),
                "its description's first line has 20000 bytes where 16384 are allowed"
            ),
            (entry("a\\n" + String(repeating: "x", count: 300_000), uuid: 7), "its description has 300000 bytes"),
            (entry("a", #""project": "\#(String(repeating: "x", count: 300))""#, uuid: 7), "its project has 300 bytes"),
            (entry("a", #""tags": ["\#(String(repeating: "x", count: 300))"]"#, uuid: 7), "its tag has 300 bytes"),
            (entry("a", #""note": "\#(String(repeating: "x", count: (1 << 20) - 60))""#, uuid: 7), "larger than 1 MiB"),
            (entry("first"), "it has the same id"),
        ])
    func badEntries(entry: String, reason: String) throws {
        let text = "[\(Self.entry("first")), \(entry), \(Self.entry("third", uuid: 3))]"
        let error = try #require(throws: ImportError.self) { try Taskwarrior.parse(Array(text.utf8)) }
        #expect(error.problems.count == 1)
        #expect(error.description.contains(reason), "\(error)")
        #expect(error.description.hasPrefix("Nothing was imported"))
    }

    @Test("a file that isn't an export is refused as a whole, with the line")
    func badFiles() throws {
        for (text, reason) in [
            ("", "the file is empty"), (" \n", "the file is empty"),
            ("[\n{},\n{]", "line 3, column 2: this isn't valid JSON"),
            ("{\"uuid\": 1}\nfoo", "entry 2: its line isn't valid JSON"),
        ] {
            let error = try #require(throws: ImportError.self) { try Taskwarrior.parse(Array(text.utf8)) }
            #expect(error.description.contains(reason), "\(error)")
        }
        let many = try #require(throws: ImportError.self) {
            try Taskwarrior.parse(Array("[\((1...22).map(String.init).joined(separator: ","))]".utf8))
        }
        #expect(many.description.contains("entry 20") && many.description.contains("and 2 more"))
    }

    static func entry(_ title: String, _ attributes: String = "", uuid: Int? = nil) -> String {
        let number = String(uuid ?? (title == "b" ? 2 : 1))
        let id = String(repeating: "0", count: 8 - number.count) + number + "-33fe-c6f3-8e22-1D93B5BA290F"
        return
            #"{"id": 1, "urgency": 2.9, "uuid": "\#(id)", "description": "\#(title)"\#(attributes.isEmpty ? "" : ", " + attributes)}"#
    }

    static func task(_ title: String, _ attributes: String = "") throws -> ImportedRecord {
        try #require(try Taskwarrior.parse(Array(entry(title, attributes).utf8)).first)
    }
}
