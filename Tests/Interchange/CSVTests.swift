import Foundation
import Records
import Testing

@testable import Interchange

@Suite("CSV")
struct CSVTests {
    private let codec = FormatCodec(.csv, timeZone: .gmt, types: .standard)

    @Test(
        "cells are parsed as in RFC 4180, and as spreadsheets write them",
        arguments: [
            ("a,b\r\n1,2\r\n", [["a", "b"], ["1", "2"]]), ("a,b\n1,2", [["a", "b"], ["1", "2"]]),
            ("\"a \"\"b\"\"\",\"x,\r\ny\"\r\n", [["a \"b\"", "x,\r\ny"]]),
            ("a;b\n1;2,5\n", [["a", "b"], ["1", "2,5"]]), ("a\tb\n1\t\n", [["a", "b"], ["1", ""]]),
            (",\n\n\"\",x\n", [["", ""], ["", "x"]]),
        ] as [(String, [[String]])])
    func table(text: String, rows: [[String]]) throws { #expect(try CSVTable(parsing: text).rows.map(\.cells) == rows) }

    @Test(
        "a text that a spreadsheet would execute is escaped, and survives a round trip",
        arguments: [
            ("=1+1", "'=1+1"), ("+a", "'+a"), ("-5", "'-5"), ("@x", "'@x"), ("\t=", "'\t="), ("'=x", "''=x"),
            ("'quoted'", "'quoted'"), ("＝1", "'＝1"), ("a=b", "a=b"), ("", ""),
        ])
    func formulas(text: String, cell: String) {
        #expect(CSVCell.guarded(text) == cell)
        #expect(CSVCell.unguarded(cell) == text)
    }

    @Test("a table of another program needs only a title; days and times are in the user's time zone")
    func foreign() throws {
        let read = try codec.decode("title,due,tags,colour\nMilk,2026-11-21 15:00,a b,5\nOats,,,\nOats,,,\n")
        #expect(
            read.map(\.fields) == [
                ["title": "Milk", "due": "2026-11-21T15:00:00Z", "tags": ["a", "b"], "colour": 5], ["title": "Oats"],
                ["title": "Oats"],
            ])
        #expect(Set(read.map(\.key)).count == 3 && read.allSatisfy { $0.key.collection == "tasks" })
    }

    @Test(
        "errors are reported with their place",
        arguments: [
            ("", "the file is empty"), ("a,b\n", "line 1: no column is called title"),
            ("title,title\n", "line 1: two columns are called “title”"),
            ("title,x\na\n", "line 2: the row has 1 cell and the table 2 columns; put"),
            ("title\na\"b\n", "line 2, column 2: a quote"),
            ("title\n\"a\nb", "line 2, column 1: this quote is never closed"),
            ("title\n\"a\"b", "line 2, column 4: there is text between"),
            ("title,due\na,soon", "line 2: column due: “soon” isn't a date"),
            ("title,id\na,x/y", "line 2: column id"), ("title,collection\na,conflicts", "line 2: column collection"),
            ("title,id\na,x\nb,x", "line 3: it has the same id (x) as line 2; give one another id"),
            ("title,x\n ,y", "line 2: The title is empty"),
        ])
    func faults(text: String, reason: String) throws {
        let error = try #require(throws: ImportError.self) { try codec.decode(text) }
        #expect(error.description.contains(reason), "\(error)")
    }

    @Test("an edit in the file is applied if the record is as it was written; otherwise the local edit is kept")
    func edits() throws {
        let key = RecordKey(collection: "tasks", id: "a")
        let before = Record(key: key, fields: ["title": "Milk", "tags": ["a", "b"], "due": "2026-11-21T00:00:00Z"])
        let file = codec.encode([before]).text.replacing("Milk", with: "Oats").replacing("a b", with: "b c")
        let imported = try #require(try codec.decode(file).first)
        guard case .update(let patch, let kept) = codec.plan(imported, existing: before) else {
            Issue.record("an update was expected")
            return
        }
        #expect(kept.isEmpty && patch["title"] == "Oats" && patch["tags"] == ["b", "c"] && patch["due"] == nil)
        var edited = before
        edited.fields["project"] = "home"
        guard case .update(let later, let stayed) = codec.plan(imported, existing: edited) else {
            Issue.record("an update was expected")
            return
        }
        #expect(stayed == ["tags", "title"] && later.count == 1 && later[ImportMark.field] != nil)
        edited.fields = edited.fields.applying(later)
        #expect(codec.plan(imported, existing: edited) == .unchanged)
    }
}
