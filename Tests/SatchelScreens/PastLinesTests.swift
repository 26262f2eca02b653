import Records
import Terminal
import TestSupport
import Testing

@testable import Controllers
@testable import LineView
@testable import SatchelScreens

@Suite("History and journal as lines")
struct PastLinesTests {
    private let at = moment("2026-11-21T15:20:00.123Z")

    private func revision(
        _ version: Int64?, _ event: HistoryScreen.State.Event, mine: Bool = false, name: String? = "desk\u{1B}top",
        _ changes: [HistoryScreen.State.Change] = []
    ) -> HistoryScreen.State.Revision {
        .init(
            version: version, event: event, at: version.map { _ in at }, device: "desktop-1", deviceName: name,
            isMine: mine, changes: changes)
    }

    @Test("A history shows who changed what when, from which to which value, unsent edits first, escaped")
    func history() throws {
        var state = HistoryScreen.State()
        #expect(try rendered(HistoryScreen.self, state) == ["No history is shown."])
        state.record = .init(id: "12ab34cd-whole", collection: "tasks", title: "Milk\u{1B}", isDeleted: true)
        state.more = true
        state.revisions = [
            revision(nil, .changed, mine: true, [.init(field: "title", label: "Title", from: "a\u{1B}", to: "b")]),
            revision(9, .deleted),
            revision(
                8, .changed, name: nil,
                [
                    .init(
                        field: "body", label: "Body", from: "x\ny", to: "x\nz", diff: TextDiff(from: "x\ny", to: "x\nz")
                    ),
                    .init(field: "due", label: "Due", from: "2026-11-22T15:00:00Z", to: nil, isMoment: true),
                    .init(
                        field: "tags", label: "Tags", from: #"["c"]"#, to: #"["a","b"]"#,
                        elements: .init(added: ["a\u{1B}", "b"], removed: ["c"])),
                ]),
            revision(7, .revived), revision(6, .made), revision(5, .oldest),
        ]
        let when = LocalTime.short(at)
        #expect(
            try rendered(HistoryScreen.self, state) == [
                "Milk␛  deleted", "unsent  this device", "   title: a␛ → b", "9  \(when), “desk␛top”, deleted",
                "8  \(when), device desktop-", "   body:", "        x", "      - y", "      + z",
                "   due: \(LocalTime.short(moment("2026-11-22T15:00:00Z"))) → (removed)",
                "   tags: +a␛, +b, -c",
                "7  \(when), “desk␛top”, restored after a deletion", "6  \(when), “desk␛top”, created",
                "5  \(when), “desk␛top”, the oldest one shown", "Older revisions are not shown.",
                "`restore 12ab34cd REVISION` restores one.",
            ])
    }

    @Test("On a terminal, long values of a history are broken between words")
    func wrapped() throws {
        var state = HistoryScreen.State()
        state.record = .init(id: "12ab34cd-whole", collection: "tasks", title: "Milk", isDeleted: false)
        let old = "Buy milk and some bread", new = "Buy oat milk and some rye bread"
        state.revisions = [revision(8, .changed, [.init(field: "title", label: "Title", from: old, to: new)])]
        let lines = try rendered(HistoryScreen.self, state, on: LinePage(columns: 30))
        #expect(
            lines.dropFirst(2).prefix(3) == [
                "   title: Buy milk and some", "   bread → Buy oat milk and", "   some rye bread",
            ])
    }

    @Test("The journal lists commands with what they changed, and what an undo kept")
    func journal() throws {
        var state = UndoScreen.State()
        #expect(try rendered(UndoScreen.self, state) == ["No commands yet."])
        state.commands = [
            .init(
                command: "rm", at: moment("2026-11-21T15:20:00Z"), records: 5, titles: ["a\u{1B}", "b"], isUndone: true),
            .init(
                command: "done", at: moment("2026-11-21T15:20:00Z"), records: 1, titles: ["c"],
                changes: ["due today → Fri 27 Nov", "+x"], isUndone: false,
                actor: "mcp (x\u{1B})"),
        ]
        state.left = [.init(id: "x", title: "d", fields: ["due", "title"], reason: .changed)]
        state.leftTotal = 3
        let when = LocalTime.short(moment("2026-11-21T15:20:00Z"))
        #expect(
            try rendered(UndoScreen.self, state) == [
                "\(when)  undone  rm    “a␛”, “b” and 3 more",
                "\(when)          done  “c”: due today → Fri 27 Nov, +x, by mcp (x␛)",
                "not changed: the due, title of “d”, changed since", "and 2 more",
                "`undo` undoes the newest command, `redo` redoes it.",
            ])
    }
}
