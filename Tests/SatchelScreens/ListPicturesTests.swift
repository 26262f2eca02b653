import ControllerKit
import Foundation
import Terminal
import TestSupport
import Testing

@testable import Controllers
@testable import LineView
@testable import Records
@testable import SatchelScreens

/// Lists of made-up and of real records, as they are shown at several widths. The user guide shows the pictures at 80 and
/// 120 columns. To write the files again after a change:
///
///     SATCHEL_PICTURES=write swift test --filter ListPicturesTests
@Suite("Pictures of lists")
struct ListPicturesTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Lists")
    /// The number of lines of the long list that a picture has, besides the last one. The other lines are compared by
    /// their number and a hash.
    private static let shownLines = 30

    private let context: DateExpression.Context

    init() throws {
        let now = try #require(Timestamp("2026-11-22T03:43:00Z")).date
        context = DateExpression.Context(now: now, calendar: LocalTime.calendar(in: .gmt))
    }

    @Test("The pictures are up to date", arguments: ["handmade", "tasks"], [40, 80, 120, 200])
    func pictures(name: String, columns: Int) throws {
        let lines = try rendered(ListScreen.self, list(name), on: LinePage(columns: columns))
        let isLong = lines.count > 2 * Self.shownLines
        let shown = isLong ? lines.prefix(Self.shownLines) + [Self.sum(of: lines)] + lines.suffix(1) : lines[...]
        let picture = shown.map { $0 + "\n" }.joined()
        let file = Self.folder.appending(path: "\(name)-\(columns).txt")
        if ProcessInfo.processInfo.environment["SATCHEL_PICTURES"] == "write" {
            try Data(picture.utf8).write(to: file)
        }
        #expect(try String(decoding: Data(contentsOf: file), as: UTF8.self) == picture)
    }

    /// Returns the number of all lines, and a hash of them (FNV-1a, 64 bits).
    private static func sum(of lines: [String]) -> String {
        let hash = lines.joined(separator: "\n").utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x0100_0000_01B3
        }
        return "… \(lines.count) lines, hash \(String(hash, radix: 16))"
    }

    @Test("No line is wider than the page", arguments: ["handmade", "tasks"], [20, 40, 79, 80, 89, 90, 91, 120, 200])
    func widths(name: String, columns: Int) throws {
        let lines = try rendered(ListScreen.self, list(name), on: LinePage(columns: columns))
        let wide = lines.filter { $0.displayWidth > columns }
        #expect(wide == [])
    }

    @Test("At 80 columns titles have at least half of the width: only longer ones are cut", arguments: [80, 120])
    func titles(columns: Int) throws {
        let state = try list("tasks")
        let lines = try rendered(ListScreen.self, state, on: LinePage(columns: columns))
        let titles = state.rows.map(\.title).filter { $0.displayWidth <= columns / 2 }
        #expect(titles.count > 1_000)
        // A record has at most three lines.
        let text = lines.prefix(800).joined(separator: "\n")
        let missing = titles.prefix(200).filter { !text.contains($0) }
        #expect(missing == [])
    }

    @Test("Without a title that has room next to the other columns, records are cards")
    func cards() throws {
        var state = try list("handmade")
        state.rows = state.rows.map { row in
            var row = row
            row.values["due"] = .date(.time(Timestamp(seconds: 0)), words: String(repeating: "x", count: 80))
            return row
        }
        let lines = try rendered(ListScreen.self, state, on: LinePage(columns: 120))
        #expect(lines.first == "Overdue (2)", "A table begins with the names of its columns.")
    }

    @Test("What all rows share with the filter isn't shown in them")
    func filtered() throws {
        var state = try list("handmade")
        state.rows = state.rows.filter { $0.project == "garden" }
        let page = LinePage(columns: 120)
        #expect(try rendered(ListScreen.self, state, on: page)[0].contains("project"))
        for filter in ["project:garden", "proj:Garden sort:title"] {
            state.filter = filter
            let lines = try rendered(ListScreen.self, state, on: page)
            #expect(!lines.dropLast().joined().contains("garden  ") && !lines[0].contains("project"))
        }
        state.rows = state.rows.map { row in
            var row = row
            row.tags.append("shop")
            return row
        }
        state.filter = "+shop"
        #expect(try !rendered(ListScreen.self, state, on: page).joined().contains("+shop"))
    }

    @Test("A short id that is too long for the column is left out; the number names the record")
    func longIDs() throws {
        var state = try list("handmade")
        state.rows[0].prefix = "zyxwvutsr"
        let lines = try rendered(ListScreen.self, state, on: LinePage(columns: 120))
        #expect(!lines.joined().contains("zyxwvutsr") && lines[2].hasPrefix(" 1         "))
    }

    @Test("The user guide shows the pictures", arguments: [80, 120])
    func guide(columns: Int) throws {
        let guide = Self.folder.appending(
            path: "../../../Sources/SatchelScreens/SatchelScreens.docc/UserGuide.md")
        let text = try String(decoding: Data(contentsOf: guide), as: UTF8.self)
        let picture = Self.folder.appending(path: "handmade-\(columns).txt")
        #expect(text.contains("```text\n" + String(decoding: try Data(contentsOf: picture), as: UTF8.self) + "```"))
    }

    // MARK: Records

    /// Returns the list of the records in a file: one on each line, with tabs between its parts.
    private func list(_ name: String) throws -> ListScreen.State {
        let text = try String(
            decoding: Data(contentsOf: Self.folder.appending(path: name + ".tsv")), as: UTF8.self)
        let lines = text.split(separator: "\n").map { line in
            line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
        return ListScreen.State(zip(1..., lines).map { row($0, $1) })
    }

    /// Returns the row of a line: id, status, priority, due date, project, tags and title; in a grouped list also the
    /// group, `r` if it repeats, the depth, the signs (`…` more text, `!` conflict, `*` unsent), and the progress.
    private func row(_ number: Int, _ parts: [String]) -> ListScreen.State.Row {
        .task(number, parts[6]) { row in
            row.id = parts[0] + "-0000-4000-8000-000000000000"
            row.prefix = String(ShortID.whole(row.id).prefix(5))
            row.status = ["p": "pending", "c": "completed"][parts[1]]
            if row.status == nil { row.collection = "notes" }
            if !parts[2].isEmpty { row.priority = parts[2] }
            if let due = DateValue(parts[3]) {
                row.values["due"] = .date(due, words: DateWords(context).short(for: due))
                row.isOverdue = row.isDone == false && Horizon(context).isOverdue(due)
            }
            if !parts[4].isEmpty { row.project = parts[4] }
            row.tags = parts[5].split(separator: ",").map(String.init)
            if parts.count < 12 { return }
            row.group = .init(rawValue: parts[7])
            if parts[8] == "r" { row.repeat = "weekly" }
            row.depth = Int(parts[9]) ?? 0
            row.hasMore = parts[10].contains("…")
            row.hasConflict = parts[10].contains("!")
            row.isUnsent = parts[10].contains("*")
            let progress = parts[11].split(separator: "/").compactMap { Int($0) }
            if progress.count == 2 {
                row.progress = .init(done: progress[0], total: progress[1])
            }
        }
    }
}
