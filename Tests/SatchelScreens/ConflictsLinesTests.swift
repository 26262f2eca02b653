import Records
import Terminal
import TestSupport
import Testing

@testable import Controllers
@testable import LineView
@testable import SatchelScreens

@Suite("Conflicts as lines")
struct ConflictsLinesTests {
    private let at = moment("2026-11-21T15:20:00Z")

    private func edit(_ value: String?, mine: Bool, name: String? = nil) -> ConflictsScreen.State.Edit {
        .init(
            value: value, isCut: false, at: mine ? nil : at, device: mine ? nil : "desktop-1", deviceName: name,
            isMine: mine)
    }

    private func state(_ change: (inout ConflictsScreen.State.Row) -> Void = { _ in }) -> ConflictsScreen.State {
        var row = ConflictsScreen.State.Row(
            number: 3, id: "c", record: "12ab", collection: "tasks", title: "Buy\nmilk", isRecordDeleted: false,
            field: "body", label: "Body", earlier: edit("one\n\u{1B}[2Jtwo\n", mine: false),
            later: edit("Later", mine: true),
            diff: nil, kept: .later, hasChangedSince: false)
        change(&row)
        var state = ConflictsScreen.State()
        (state.rows, state.total) = ([row], 1)
        return state
    }

    @Test("A conflict shows both values, their devices, the present value, and how to resolve it, under its record")
    func conflict() throws {
        #expect(
            try rendered(ConflictsScreen.self, state(), on: LinePage(columns: 40)) == [
                "Buy milk", "3  body", "   earlier, device desktop-, \(LocalTime.short(at)):", "      one",
                "      ␛[2Jtwo", "   later, this device:", "      Later", "   kept: the later value",
                "`resolve NUMBER", "mine|theirs|earlier|later|both|keep|", "edit` resolves one.",
            ])
        let removed = try rendered(
            ConflictsScreen.self,
            state {
                ($0.kept, $0.later) = (.both, edit(nil, mine: true))
                $0.earlier = edit("x", mine: false, name: "desk\u{1B}top")
            })
        #expect(removed.contains("      (removed)"))
        #expect(removed.contains("   kept: both, between markers in the text"))
        #expect(removed.contains("   earlier, “desk␛top”, \(LocalTime.short(at)):"))
    }

    @Test("On a terminal, long values are broken between words")
    func wrapped() throws {
        let lines = try rendered(
            ConflictsScreen.self, state { $0.later = edit("Buy oat milk and some rye bread", mine: true) },
            on: LinePage(columns: 30))
        #expect(lines.contains("      Buy oat milk and some") && lines.contains("      rye bread"))
    }

    @Test("Of multi-line texts it shows the differences")
    func diff() throws {
        let lines = try rendered(
            ConflictsScreen.self,
            state {
                let (old, new) = ("a\nb\nc\nd\ne\nf\n", "a\nb\nc\nd\ne\nF\u{1B}\n")
                $0.diff = TextDiff(from: old, to: new)
            })
        #expect(
            lines.prefix(10) == [
                "Buy milk", "3  body", "   - earlier, device desktop-, \(LocalTime.short(at))",
                "   + later, this device", "      … 2 equal lines", "        c", "        d", "        e", "      - f",
                "      + F␛",
            ])
        let long = (1...100).map { "line \($0)" }.joined(separator: "\n")
        let cut = try rendered(ConflictsScreen.self, state { $0.diff = TextDiff(from: "x\ny", to: long) })
        #expect(cut.contains("      … 42 more lines of difference; `conflicts 3` shows all"))
    }

    @Test("Edits within the same minute are shown with seconds, others without")
    func times() throws {
        let (early, late) = (moment("2026-11-21T15:20:05Z"), moment("2026-11-21T15:20:41Z"))
        let lines = try rendered(
            ConflictsScreen.self,
            state {
                ($0.earlier.at, $0.later.at) = (early, late)
            })
        #expect(lines.contains { $0.hasPrefix("   earlier, ") && $0.hasSuffix(":20:05:") })
        #expect(lines.contains { $0.hasPrefix("   later, ") && $0.hasSuffix(":20:41:") })
        let apart = try rendered(
            ConflictsScreen.self,
            state {
                ($0.earlier.at, $0.later.at) = (early, moment("2026-11-21T15:21:00Z"))
            })
        #expect(apart.contains { $0.hasPrefix("   earlier, ") && $0.hasSuffix(":20:") })
    }

    @Test("Later changes and deletions are shown")
    func since() throws {
        let changed = try rendered(ConflictsScreen.self, state { ($0.hasChangedSince, $0.now) = (true, "x\ny") })
        #expect(changed.contains("   the field has changed since: it is now “x” …"))
        let removed = try rendered(ConflictsScreen.self, state { $0.hasChangedSince = true })
        #expect(removed.contains("   the field has changed since: it was removed"))
        let deleted = try rendered(ConflictsScreen.self, state { $0.isRecordDeleted = true })
        #expect(deleted.first == "Buy milk  deleted; --revive restores it")
    }

    @Test("A record with several conflicts is named once")
    func grouped() throws {
        var state = state()
        state.rows += [state.rows[0], state.rows[0]]
        state.rows[2].record = "another"
        state.total = 3
        #expect(try rendered(ConflictsScreen.self, state).count { $0 == "Buy milk" } == 2)
    }

    @Test("Resolved conflicts show the time and the device")
    func resolved() throws {
        var state = state { ($0.resolvedAt, $0.resolvedBy) = (at, "desktop") }
        state.areResolved = true
        let lines = try rendered(ConflictsScreen.self, state)
        #expect(lines.contains("   resolved \(LocalTime.short(at)) by desktop"))
        #expect(lines.last == "`resolve NUMBER earlier|later|…` chooses another value.")
        state.rows = []
        state.total = 0
        #expect(try rendered(ConflictsScreen.self, state) == ["No resolved conflicts."])
    }

    @Test("Conflicts that are new since the last list are counted; the absence of conflicts is shown")
    func more() throws {
        var state = ConflictsScreen.State()
        #expect(try rendered(ConflictsScreen.self, state) == ["No conflicts."])
        state.total = 2
        #expect(try rendered(ConflictsScreen.self, state).first == "2 more; `conflicts` lists the next ones.")
        // If one was requested alone, the others are no news.
        state.isWhole = true
        #expect(try rendered(ConflictsScreen.self, state).count == 1)
    }
}
