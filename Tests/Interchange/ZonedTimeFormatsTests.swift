import Foundation
import Records
import struct Records.Record
import Testing

@testable import Interchange

@Suite("Times with their time zone in files")
struct ZonedTimeFormatsTests {
    private static let due = "2026-12-01T16:00:00Z[Europe/Berlin]"
    private let task = Record(
        key: RecordKey(collection: "tasks", id: "11111111-1111-4111-8111-111111111111"),
        fields: [
            "title": "Call", "status": "pending", "entry": "2026-11-01T08:00:00Z", "due": .string(Self.due),
            "wait": "2026-11-30T08:00:00Z[Asia/Tokyo]",
        ], clock: FieldClocks(["*": HLC(milliseconds: 1, device: "laptop")]))

    private func codec(_ format: ExchangeFormat) -> FormatCodec {
        FormatCodec(format, timeZone: .gmt, types: .standard)
    }

    @Test(
        "formats of other programs have the time in UTC, which isn't an omission",
        arguments: [
            (ExchangeFormat.csv, "2026-12-01T16:00:00Z"), (ExchangeFormat.taskwarrior, "20261201T160000Z"),
        ])
    func others(format: ExchangeFormat, text: String) throws {
        let document = codec(format).encode([task])
        #expect(document.text.contains(text) && !document.text.contains("Berlin"))
        #expect(document.omissions.isEmpty, "\(document.omissions)")
        let read = try #require(try codec(format).decode(document.text).first)
        #expect(read.fields["due"] == "2026-12-01T16:00:00Z")
    }

    @Test("todo.txt has the day, and the time of day is an omission as before") func todoTxt() {
        let document = codec(.todotxt).encode([task])
        #expect(document.text.contains("due:2026-12-01"))
        #expect(document.omissions.fields["due"] == 1)
    }

    @Test("Satchel's own format and notes in Markdown have the value as it is stored")
    func own() throws {
        let note = Record(
            key: RecordKey(collection: "notes", id: "22222222-2222-4222-8222-222222222222"),
            fields: ["title": "Plan", "entry": "2026-11-01T08:00:00Z", "due": .string(Self.due)], clock: task.clock)
        for (format, record) in [(ExchangeFormat.satchel, task), (ExchangeFormat.markdown, note)] {
            let document = codec(format).encode([record])
            let read = try codec(format).decode(document.text)
            #expect(read.first?.fields["due"] == .string(Self.due), "\(format)")
        }
    }

    @Test(
        "importing an exported file keeps the time zone",
        arguments: [ExchangeFormat.satchel, .taskwarrior, .todotxt, .csv])
    func unchanged(format: ExchangeFormat) throws {
        let imported = try #require(try codec(format).decode(codec(format).encode([task]).text).first)
        #expect(codec(format).plan(imported, existing: task) == .unchanged)
    }

    @Test("an edit of another field in the file keeps it, too; a new time has the one of the file")
    func edited() throws {
        let text = codec(.csv).encode([task]).text
        for (old, new, patch) in [
            ("Call", "Ring", ["title": "Ring"]),
            ("2026-12-01T16:00:00Z", "2026-12-02T16:00:00Z", ["due": "2026-12-02T16:00:00Z"]),
        ] as [(String, String, JSONObject)] {
            let imported = try #require(try codec(.csv).decode(text.replacing(old, with: new)).first)
            guard case .update(let fields, let kept) = codec(.csv).plan(imported, existing: task) else {
                Issue.record("not an edit: \(new)")
                continue
            }
            // Without the mark of the import.
            #expect(fields.applying([ImportMark.field: .null]) == patch)
            #expect(kept.isEmpty)
        }
    }
}
