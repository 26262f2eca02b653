import Backend
import ControllerKit
import Controllers
import LocalStore
import Records
import SyncAPI
import TestSupport
import Testing
import TextMerge

@MainActor
@Suite("Conflicts with long texts, later edits, deleted records, resolutions and device names", .timeLimit(.minutes(5)))
struct ConflictsAgainTests {
    private func numbered(_ change: (inout [String]) -> Void) -> JSONValue {
        var lines = (1...10_000).map { "line \($0)" }
        change(&lines)
        return .string(lines.joined(separator: "\n") + "\n")
    }

    @Test("A list shows the differences of two long bodies; one alone is shown whole")
    func diff() async throws {
        let (earlier, later) = (numbered { $0[4_999] = "theirs" }, numbered { $0[4_999] = "mine" })
        let inbox = try inbox("body", earlier, later)
        let conflicts = inbox.home.conflicts()
        try await conflicts.send(.list(resolved: false))
        let row = try #require(conflicts.state.rows.first)
        #expect(
            row.diff?.lines.map { [$0.kind.rawValue, $0.text, $0.count.map(String.init) ?? ""] } == [
                ["skipped", "", "4996"], ["same", "line 4997", ""], ["same", "line 4998", ""],
                ["same", "line 4999", ""], ["removed", "theirs", ""], ["added", "mine", ""],
                ["same", "line 5001", ""], ["same", "line 5002", ""], ["same", "line 5003", ""],
                ["skipped", "", "4997"],
            ])
        #expect(row.earlier.isCut && row.earlier.value?.utf8.count == 1_000)
        try await conflicts.send(.show("1"))
        let whole = try #require(conflicts.state.rows.first)
        #expect((whole.number, whole.earlier.value, whole.earlier.isCut) == (1, earlier.string, false))
        #expect(whole.diff?.lines.count == 10_001 && whole.diff?.left == 0)
    }

    @Test("has:conflict finds the records with an open conflict, in lists and searches")
    func listed() async throws {
        let inbox = try inbox("body", "a milk", "b milk")
        try inbox.home.put(["other": ["title": "Other milk"]])
        let list = inbox.home.list()
        let intents: [ListScreen.Intent] = [
            .list(filter: ["has:conflict"], limit: nil, offset: nil), .search(["milk", "has:conflict"], limit: nil),
        ]
        for intent in intents {
            try await list.send(intent)
            #expect(list.state.rows.map(\.id) == ["task"])
        }
        try await inbox.home.conflicts().send(.resolve(inbox.conflict.id, .keep, value: nil, revive: false))
        for intent in intents {
            try await list.send(intent)
            #expect(list.state.rows.isEmpty)
        }
    }

    @Test("A state has a size limit, however much differs")
    func bounded() async throws {
        let other = numbered { lines in lines = lines.map { $0 + String(repeating: "x", count: 200) } }
        let inbox = try inbox("body", numbered { _ in }, other)
        let conflicts = inbox.home.conflicts()
        try await conflicts.send(.list(resolved: false))
        let diff = try #require(conflicts.state.rows.first?.diff)
        #expect((diff.lines.count, diff.left) == (TextDiff.linesMaximum, 20_000 - TextDiff.linesMaximum))
    }

    @Test("An edited value becomes the record's value; without one the text with both versions is offered")
    func edit() async throws {
        let inbox = try inbox("body", "a\nhere\nb\n", "a\nthere\nb\n")
        let conflicts = inbox.home.conflicts()
        let error = await failure {
            try await conflicts.send(.resolve(inbox.conflict.id, .edit, value: nil, revive: false))
        }
        #expect(error.category == .usage && error.message.contains("--value-file"))
        let draft = try #require(conflicts.state.draft)
        #expect(draft.text == "a\n<<<<<<< earlier\nhere\n=======\nthere\n>>>>>>> later\nb\n")
        let same = await failure {
            try await conflicts.send(.resolve(inbox.conflict.id, .edit, value: draft.text, revive: false))
        }
        #expect(same.message.contains("The text was not changed"))
        #expect(try !isResolved(inbox))
        try await conflicts.send(
            .resolve(inbox.conflict.id, .edit, value: "a\nhere and there\nb\n", revive: false))
        #expect(try inbox.home.task("task")?["body"] == "a\nhere and there\nb\n")
        #expect(try isResolved(inbox))
        #expect(conflicts.state.draft == nil)
    }

    @Test("If the merge left both versions in the text, that text is offered")
    func draftOfMerged() async throws {
        let merged: JSONValue = "top\n<<<<<<< earlier\na\n=======\nb\n>>>>>>> later"
        let inbox = try inbox("body", "a", "top\nb", kept: .both, merged: merged)
        let conflicts = inbox.home.conflicts()
        _ = await failure { try await conflicts.send(.resolve(inbox.conflict.id, .edit, value: nil, revive: false)) }
        #expect(conflicts.state.draft?.text == merged.string)
        try await conflicts.send(.list(resolved: false))
        #expect(conflicts.state.rows.first?.hasChangedSince == false)
    }

    @Test(
        "A typed value is parsed as its field requires; an editor's last line end is not part of it",
        arguments: [
            ("title", "One", "Two", "Three\n", "Three"),
            ("due", "2026-11-30T00:00:00Z", "2026-12-01T00:00:00Z", "2026-12-24", "2026-12-24"),
            ("estimate", 1, 2, "3\n", 3), ("body", "a", "b\n", "c\n", "c\n"), ("body", "a", "b", "", nil),
        ] as [(String, JSONValue, JSONValue, String, JSONValue?)])
    func typed(field: String, earlier: JSONValue, later: JSONValue, text: String, value: JSONValue?) async throws {
        let inbox = try inbox(field, earlier, later)
        try await inbox.home.conflicts().send(.resolve(inbox.conflict.id, .edit, value: text, revive: false))
        #expect(try inbox.home.task("task")?[field] == value)
    }

    @Test(
        "An invalid value for the field is refused, and the conflict stays",
        arguments: [
            ("due", "2026-11-30T00:00:00Z", "2026-12-01T00:00:00Z", "some day"), ("estimate", 1, 2, "many"),
            ("title", "One", "Two", "a\nb"), ("title", "One", "Two", ""),
        ] as [(String, JSONValue, JSONValue, String)])
    func refused(field: String, earlier: JSONValue, later: JSONValue, text: String) async throws {
        let inbox = try inbox(field, earlier, later)
        let error = await failure {
            try await inbox.home.conflicts().send(.resolve(inbox.conflict.id, .edit, value: text, revive: false))
        }
        #expect(error.category == .usage)
        #expect(try !isResolved(inbox))
    }

    @Test("A value is accepted by edit only")
    func valueWithoutEdit() async throws {
        let inbox = try inbox()
        let error = await failure {
            try await inbox.home.conflicts().send(.resolve(inbox.conflict.id, .later, value: "x", revive: false))
        }
        #expect(error.category == .usage)
    }

    @Test("A conflict with later edits stays, shows them, and can still be resolved")
    func laterEdits() async throws {
        for kept in [FieldConflict.Kept.later, .both] {
            let inbox = try inbox("body", "a", "b", kept: kept, merged: "both")
            let conflicts = inbox.home.conflicts()
            try await conflicts.send(.list(resolved: false))
            #expect(conflicts.state.rows.first?.hasChangedSince == false)
            try await inbox.home.detail().send(.edit("task", title: nil, body: "newer", words: []))
            try await conflicts.send(.list(resolved: false))
            let row = try #require(conflicts.state.rows.first)
            #expect((row.hasChangedSince, row.now) == (true, "newer"))
            try await conflicts.send(.resolve("1", .earlier, value: nil, revive: false))
            #expect(try inbox.home.task("task")?["body"] == "a")
        }
    }

    @Test(
        "In a text with both versions, a choice replaces the lines between the markers; merged lines stay",
        arguments: [
            (.earlier, "top\na\nend"), (.theirs, "top\na\nend"), (.mine, "top\nb\nend"),
            (.both, "top\na\nb\nend"), (.keep, "top\n<<<<<<< earlier\na\n=======\nb\n>>>>>>> later\nend"),
        ] as [(ConflictsScreen.Choice, String)])
    func lines(choice: ConflictsScreen.Choice, body: String) async throws {
        let merged: JSONValue = "top\n<<<<<<< earlier\na\n=======\nb\n>>>>>>> later\nend"
        let inbox = try inbox("body", "a\nend", "top\nb", kept: .both, merged: merged)
        let conflicts = inbox.home.conflicts()
        try await conflicts.send(.resolve(inbox.conflict.id, choice, value: nil, revive: false))
        #expect(try inbox.home.task("task")?["body"]?.string == body)
        #expect(conflicts.state.notice == "Resolved: “task”.")
    }

    /// A conflict about the line between `top` and `end`.
    private func linesInConflict() throws -> Inbox {
        try inbox(
            "body", "top\na\nend", "top\nb\nend", kept: .both,
            merged: "top\n<<<<<<< earlier\na\n=======\nb\n>>>>>>> later\nend",
            overlaps: [TextOverlap(earlier: 1..<2, later: 1..<2)])
    }

    @Test("Resolving again changes the lines in conflict only; other changes made meanwhile stay")
    func linesAgain() async throws {
        let inbox = try linesInConflict()
        let conflicts = inbox.home.conflicts()
        try await conflicts.send(.resolve(inbox.conflict.id, .earlier, value: nil, revive: false))
        try await inbox.home.detail().send(.edit("task", title: nil, body: "top\na\nend\nnew", words: []))
        for (choice, body) in [
            (ConflictsScreen.Choice.later, "top\nb\nend\nnew"), (.both, "top\na\nb\nend\nnew"),
            (.earlier, "top\na\nend\nnew"),
        ] {
            try await conflicts.send(.resolve(inbox.conflict.id, choice, value: nil, revive: false))
            #expect(try inbox.home.task("task")?["body"]?.string == body)
            #expect(conflicts.state.notice == "Chose another value: “task”.")
        }
    }

    @Test("A choice after edits of other lines, with the markers still in the text, replaces lines in conflict only")
    func markersLeft() async throws {
        let inbox = try linesInConflict()
        let text = "new\ntop\n<<<<<<< earlier\na\n=======\nb\n>>>>>>> later\nend"
        try await inbox.home.detail().send(.edit("task", title: nil, body: text, words: []))
        let conflicts = inbox.home.conflicts()
        _ = await failure { try await conflicts.send(.resolve(inbox.conflict.id, .edit, value: nil, revive: false)) }
        #expect(conflicts.state.draft?.text == text)
        try await conflicts.send(.resolve(inbox.conflict.id, .later, value: nil, revive: false))
        #expect(try inbox.home.task("task")?["body"] == "new\ntop\nb\nend")
    }

    @Test("If the lines in conflict were changed to something else, nothing is replaced, and both can be edited")
    func linesChanged() async throws {
        let inbox = try linesInConflict()
        try await inbox.home.detail().send(.edit("task", title: nil, body: "top\nneither\nend\nnew", words: []))
        let conflicts = inbox.home.conflicts()
        let error = await failure {
            try await conflicts.send(.resolve(inbox.conflict.id, .earlier, value: nil, revive: false))
        }
        #expect(error.category == .conflict && error.message.contains("`resolve … edit`"))
        #expect(try inbox.home.task("task")?["body"] == "top\nneither\nend\nnew")
        #expect(try !isResolved(inbox))
        _ = await failure { try await conflicts.send(.resolve(inbox.conflict.id, .edit, value: nil, revive: false)) }
        #expect(
            conflicts.state.draft?.text == "top\n<<<<<<< earlier\nneither\n=======\nb\n>>>>>>> later\nend\nnew")
    }

    @Test("If the lines in conflict of a changed text are unknown, the whole text is replaced, and that is reported")
    func replaced() async throws {
        let merged: JSONValue = "<<<<<<< earlier\na\n=======\nb\n>>>>>>> later"
        let inbox = try inbox("body", "a", "b", kept: .both, merged: merged)
        try await inbox.home.detail().send(.edit("task", title: nil, body: "newer", words: []))
        let conflicts = inbox.home.conflicts()
        try await conflicts.send(.resolve(inbox.conflict.id, .earlier, value: nil, revive: false))
        #expect(try inbox.home.task("task")?["body"] == "a")
        #expect(conflicts.state.notice?.contains("all of it was replaced") == true)
    }

    @Test("A value that is longer than what may be entered can be chosen, up to the record's size limit")
    func long() async throws {
        let long = JSONValue.string(String(repeating: "x", count: FieldLimits.bodyBytes + 1))
        let first = try inbox("body", long, "short")
        try await first.home.conflicts().send(.resolve(first.conflict.id, .earlier, value: nil, revive: false))
        #expect(try first.home.task("task")?["body"] == long)
        let huge = JSONValue.string(String(repeating: "x", count: FieldLimits.fieldsBytes))
        let second = try inbox("body", huge, "short")
        let error = await failure {
            try await second.home.conflicts().send(.resolve(second.conflict.id, .earlier, value: nil, revive: false))
        }
        #expect(error.category == .usage && error.message.contains("Use `edit`"))
        #expect(try !isResolved(second))
    }

    @Test("A record that was deleted meanwhile returns with the chosen value, if that is requested")
    func revive() async throws {
        let inbox = try inbox()
        try inbox.home.delete("task")
        let conflicts = inbox.home.conflicts()
        try await conflicts.send(.list(resolved: false))
        #expect(conflicts.state.rows.first?.isRecordDeleted == true)
        try await conflicts.send(.resolve("1", .earlier, value: nil, revive: true))
        #expect(try inbox.home.task("task")?["title"] == "Earlier")
        #expect(try isResolved(inbox))
    }

    @Test("A record without a trace can't be revived; the conflict stays until it is dismissed")
    func gone() async throws {
        let inbox = try inbox()
        let key = RecordKey(collection: "tasks", id: "task")
        try inbox.home.services.store.writeNow { try $0.store(nil, for: key) }
        let conflicts = inbox.home.conflicts()
        let error = await failure {
            try await conflicts.send(.resolve(inbox.conflict.id, .earlier, value: nil, revive: true))
        }
        #expect(error.category == .conflict)
        #expect(try !isResolved(inbox))
        try await conflicts.send(.resolve(inbox.conflict.id, .keep, value: nil, revive: false))
        #expect(try isResolved(inbox))
    }

    @Test("Resolved conflicts are listed, and their values can be chosen again")
    func resolved() async throws {
        let inbox = try inbox()
        let conflicts = inbox.home.conflicts()
        try await conflicts.send(.list(resolved: true))
        #expect(conflicts.state.rows.isEmpty)
        try await conflicts.send(.resolve(inbox.conflict.id, .keep, value: nil, revive: false))
        #expect((conflicts.state.areResolved, conflicts.state.total) == (true, 1))
        try await conflicts.send(.list(resolved: true))
        #expect(conflicts.state.rows.map(\.id) == [inbox.conflict.id])
        try await conflicts.send(.resolve("1", .earlier, value: nil, revive: false))
        #expect(conflicts.state.notice == "Chose another value: “Earlier”.")
        #expect(try inbox.home.task("task")?["title"] == "Earlier")
        #expect(conflicts.state.rows.count == 1)
        let again = await failure { try await conflicts.send(.resolve("1", .keep, value: nil, revive: false)) }
        #expect(again.category == .usage && again.message.contains("already resolved"))
    }

    @Test("A conflict that another device deleted counts as resolved while its values are held")
    func dismissed() async throws {
        let inbox = try inbox()
        try inbox.home.services.store.writeNow { try $0.delete(inbox.conflict.key) }
        let conflicts = inbox.home.conflicts()
        try await conflicts.send(.list(resolved: true))
        #expect(conflicts.state.rows.map(\.id) == [inbox.conflict.id])
        try await conflicts.send(.resolve("1", .earlier, value: nil, revive: false))
        #expect(try inbox.home.task("task")?["title"] == "Earlier")
        #expect(try inbox.home.services.store.readNow { try $0.cached(inbox.conflict.key) }?.record.deleted == true)
    }

    @Test("A resolved conflict has the time and the device, and is the same record on all devices")
    func resolvedBy() async throws {
        let inbox = try inbox()
        let conflicts = inbox.home.conflicts()
        try await conflicts.send(.resolve(inbox.conflict.id, .keep, value: nil, revive: false))
        try await conflicts.send(.list(resolved: true))
        let row = try #require(conflicts.state.rows.first)
        let device = try inbox.home.services.store.writeNow { try $0.device() }
        #expect((row.resolvedAt, row.resolvedBy) == (moment("2026-11-21T05:20:00Z"), device))
        let sync = inbox.home.sync()
        try await sync.send(.status(record: "task"))
        #expect((sync.state.conflicts, sync.state.record?.conflicts) == (0, 0))
    }

    @Test("A rejected conflict is reported by its record, with what helps, and is removed when it is resolved")
    func refusedConflict() async throws {
        let inbox = try inbox(in: try Home(signedInAs: "ada"))
        try inbox.home.services.store.writeNow { cache in
            var held = try cache.cached(inbox.conflict.key)
            held?.pending?.rejection = Rejection(code: "too-large", reason: "Too large.")
            try cache.store(held, for: inbox.conflict.key)
        }
        let sync = inbox.home.sync()
        try await sync.send(.status())
        #expect(sync.state.rejected.map(\.title) == ["conflict about the title of “Later”"])
        #expect(sync.state.rejected.first?.reason.contains("`resolve \(inbox.conflict.id.prefix(8)) …`") == true)
        try await inbox.home.conflicts().send(.resolve(inbox.conflict.id, .keep, value: nil, revive: false))
        try await sync.send(.status())
        #expect(sync.state.rejected.isEmpty)
        #expect(try isResolved(inbox))
    }

    @Test("A conflict resolved by another device before it was seen here is reported until resolved ones are listed")
    func resolvedElsewhere() async throws {
        let inbox = try inbox(in: try Home(signedInAs: "ada"))
        try inbox.home.services.store.writeNow { cache in
            guard var record = try cache.cached(inbox.conflict.key)?.record else { return }
            record.version = 9
            record.fields["settled"] = "2026-11-21T05:20:00Z"
            record.clock.stamp(["settled"], at: HLC(milliseconds: 1, device: "other-device"))
            try cache.store(CachedRecord(record: record), for: record.key)
        }
        let sync = inbox.home.sync()
        inbox.home.transport.expect(AuthenticatedRoute.pullChanges(space: "space-ada"), answer: Answer.page())
        inbox.home.transport.expect(AuthenticatedRoute.devices, answer: Answer.devices(["other-device": "desktop"]))
        try await sync.send(.sync)
        let message = "1 conflict was resolved on another device: see `conflicts --resolved`."
        #expect(sync.state.notice?.contains(message) == true)
        #expect((sync.state.conflicts, sync.state.resolvedElsewhere) == (0, 1))
        inbox.home.transport.expect(AuthenticatedRoute.pullChanges(space: "space-ada"), answer: Answer.page())
        try await sync.send(.sync)
        #expect(sync.state.notice?.contains("resolved on another device") == false, "It is reported once.")
        try await inbox.home.conflicts().send(.list(resolved: false))
        try await sync.send(.status())
        #expect(sync.state.resolvedElsewhere == 1)
        try await inbox.home.conflicts().send(.list(resolved: true))
        try await sync.send(.status())
        #expect(sync.state.resolvedElsewhere == 0)
    }

    @Test("Conflicts of one record are adjacent, the record with the oldest edit first")
    func grouped() async throws {
        let first = try inbox("title", task: "first")
        first.home.clock.advance(by: .seconds(600))
        _ = try inbox(in: first.home, task: "second")
        first.home.clock.advance(by: .seconds(600))
        _ = try inbox("due", "1", "2", in: first.home, task: "first")
        let conflicts = first.home.conflicts()
        try await conflicts.send(.list(resolved: false))
        #expect(
            conflicts.state.rows.map { $0.record + " " + $0.field } == ["first title", "first due", "second title"])
        #expect(conflicts.state.rows.map(\.number) == [1, 2, 3])
    }

    @Test(
        "Devices have the server's names for them, requested once in the background and only when signed in"
    )
    func names() async throws {
        let home = try Home(signedInAs: "ada")
        home.transport.expect(AuthenticatedRoute.devices, answer: Answer.devices(["other-device": "desktop"]))
        let inbox = try inbox(mine: (false, true), in: home)
        let conflicts = home.conflicts()
        let view = ScriptedView<ConflictsScreen>()
        conflicts.attach(view)
        try await view.send(.list(resolved: false))
        let state = await view.next { $0.rows.first?.earlier.deviceName != nil }
        #expect(state.rows.first?.earlier.deviceName == "desktop")
        #expect(state.rows.first?.earlier.device == "other-device")
        try await conflicts.send(.show(inbox.conflict.id))
        #expect(conflicts.state.rows.first?.earlier.deviceName == "desktop")
        home.transport.verify()
    }
}
