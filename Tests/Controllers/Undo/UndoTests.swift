import ControllerKit
import Interchange
import LocalStore
import Records
import SyncAPI
import TestSupport
import Testing

@testable import Controllers

@MainActor
@Suite("Undoing commands", .timeLimit(.minutes(5)))
struct UndoTests {
    private func filled() throws -> Home {
        let home = try Home()
        try home.bring([
            "aa": ["title": "Milk", "status": "pending", "body": "one\ntwo\nthree"],
            "bb": ["title": "Bread", "status": "pending"],
        ])
        return home
    }

    @Test("A command is one step, however many records it changed, and can be redone")
    func oneStep() async throws {
        let home = try filled()
        let (list, undo) = (home.list(), home.undo())
        try await list.send(.complete(["aa", "bb"]))
        try await undo.send(.undo)
        #expect(undo.state.notice == "Undid `done`: 2 records.")
        for id in ["aa", "bb"] { #expect(try home.task(id)?["status"] == "pending" && home.task(id)?["end"] == nil) }
        try await undo.send(.redo)
        #expect(undo.state.notice == "Redid `done`: 2 records.")
        for id in ["aa", "bb"] { #expect(try home.task(id)?["status"] == "completed") }
        let error = await failure { try await undo.send(.redo) }
        #expect(error.category == .notFound)
    }

    @Test("Undo goes further back each time, through every command that changes something, and then reports the end")
    func everyCommand() async throws {
        let home = try filled()
        let (list, detail, undo) = (home.list(), home.detail(), home.undo())
        let before = try home.everything()
        try await list.send(.add(["Call", "+soon"], body: nil))
        try await list.send(.add(["Plan"], body: "text", type: "note", command: "note"))
        try await list.send(.tag(["aa", "+x"]))
        try await detail.send(.edit("aa", title: "Oat milk", body: "", words: ["due:tomorrow"]))
        try await detail.send(.annotate("aa", text: ["remark"]))
        try await list.send(.complete(["bb"]))
        try await list.send(.reopen(["bb"]))
        try await list.send(.remove(["aa", "bb"]))
        let tasks = #"[{"uuid": "22222222-2222-4222-8222-222222222222", "description": "In", "status": "pending"}]"#
        try await home.transfer().send(.importing(.taskwarrior, tasks))
        let after = try home.everything()
        for command in ["import", "rm", "undone", "done", "annotate", "edit", "tag", "note", "add"] {
            try await undo.send(.undo)
            #expect(undo.state.notice?.hasPrefix("Undid `\(command)`") == true)
            #expect(undo.state.left.isEmpty)
        }
        #expect(try home.everything() == before)
        let error = await failure { try await undo.send(.undo) }
        #expect(error.category == .notFound && error.message.contains("the last 100 commands are kept"))
        for _ in 0..<9 { try await undo.send(.redo) }
        #expect(try home.everything() == after)
    }

    @Test("After a sync, an undo is a new edit that is sent")
    func synced() async throws {
        let home = try filled()
        try await home.list().send(.complete(["aa"]))
        try home.acknowledge("aa")
        try await home.undo().send(.undo)
        let key = RecordKey(collection: "tasks", id: "aa")
        let cached = try home.services.store.readNow { try $0.cached(key) }
        #expect(cached?.pending != nil && cached?.record.fields["status"] == "pending")
    }

    @Test("A value changed by another device since is kept and reported; the rest is undone")
    func theirs() async throws {
        let home = try filled()
        let undo = home.undo()
        try await home.detail().send(.edit("aa", title: "Oat milk", body: nil, words: ["priority:H"]))
        try home.bring(["aa": ["title": "Rice milk", "status": "pending", "priority": "H", "body": "one\ntwo\nthree"]])
        try await undo.send(.undo)
        #expect(
            undo.state.notice == """
                Undid `edit`: “Rice milk”.
                Not changed: the title of “Rice milk”, changed since.
                """)
        #expect(undo.state.left == [.init(id: "aa", title: "Rice milk", fields: ["title"], reason: .changed)])
        #expect(try home.task("aa")?["title"] == "Rice milk" && home.task("aa")?["priority"] == nil)
        // Redo doesn't change what was kept either.
        try await undo.send(.redo)
        #expect(try home.task("aa")?["title"] == "Rice milk" && home.task("aa")?["priority"] == "H")
    }

    @Test("If everything was changed since, nothing is undone, and the next undo is for the command before")
    func allTheirs() async throws {
        let home = try filled()
        let undo = home.undo()
        try await home.list().send(.complete(["bb"]))
        try await home.detail().send(.edit("aa", title: "Oat milk", body: nil, words: []))
        try home.bring(["aa": ["title": "Rice milk"]])
        try await undo.send(.undo)
        #expect(
            undo.state.notice == """
                Nothing left to undo in `edit`; the next `undo` undoes the command before it.
                Not changed: the title of “Rice milk”, changed since.
                """)
        try await undo.send(.undo)
        #expect(undo.state.notice == "Undid `done`: “Bread”.")
    }

    @Test("A text changed by another device since is merged by lines")
    func merged() async throws {
        let home = try filled()
        try await home.detail().send(.edit("aa", title: nil, body: "ONE\ntwo\nthree", words: []))
        try home.bring(["aa": ["title": "Milk", "status": "pending", "body": "ONE\ntwo\nTHREE"]])
        try await home.undo().send(.undo)
        #expect(try home.task("aa")?["body"] == "one\ntwo\nTHREE")
    }

    @Test("A resolved conflict is back in the inbox, and the record is as before")
    func conflicts() async throws {
        let home = try filled()
        let edits = (FieldEdit(value: "Milk", moment: nil), FieldEdit(value: "Oat milk", moment: nil))
        let conflict = ConflictRecord(
            FieldConflict(field: "title", earlier: edits.0, later: edits.1, kept: .later),
            in: RecordKey(collection: "tasks", id: "aa"))
        try home.services.store.writeNow {
            try $0.store(
                CachedRecord(record: Record(key: conflict.key, version: 3, fields: conflict.fields)), for: conflict.key)
        }
        try await home.conflicts().send(.resolve(conflict.id, .later, value: nil, revive: false))
        #expect(try home.task("aa")?["title"] == "Oat milk")
        let journal = home.undo()
        try await journal.send(.journal)
        #expect(journal.state.commands.first?.titles == ["Oat milk"], "A conflict counts as its record.")
        #expect(journal.state.commands.first?.records == 1)
        try await home.undo().send(.undo)
        #expect(try home.task("aa")?["title"] == "Milk")
        #expect(try home.services.store.readNow { try $0.conflicts.openCount() } == 1)
    }

    @Test("The device's own deletion is undone; a later one by another device is kept and reported")
    func deletions() async throws {
        let home = try filled()
        let undo = home.undo()
        for (device, isBack) in [(nil, true), ("desktop", false)] as [(String?, Bool)] {
            try await home.list().send(.remove(["aa"]))
            try home.acknowledge("aa")
            let key = RecordKey(collection: "tasks", id: "aa")
            try home.services.store.writeNow { cache in
                guard let device, var record = try cache.cached(key)?.record else { return }
                record.modifiedBy = device
                try cache.store(CachedRecord(record: record), for: key)
            }
            try await undo.send(.undo)
            #expect(try (home.task("aa") != nil) == isBack)
            #expect(undo.state.left.map(\.reason) == (isBack ? [] : [.deleted]))
        }
    }

    @Test("The journal lists commands with what they changed, newest first, and is updated")
    func journal() async throws {
        let home = try filled()
        let undo = home.undo()
        try await undo.send(.journal)
        #expect(undo.state.commands.isEmpty)
        try await home.list().send(.complete(["aa"]))
        try await home.list().send(.remove(["aa", "bb"]))
        try await undo.send(.undo)
        #expect(
            undo.state.commands == [
                .init(
                    command: "rm", at: moment("2026-11-21T05:20:00Z"), records: 2, titles: ["Bread", "Milk"],
                    isUndone: true, entry: "2-1795238400000"),
                .init(
                    command: "done", at: moment("2026-11-21T05:20:00Z"), records: 1, titles: ["Milk"], isUndone: false,
                    entry: "1-1795238400000"),
            ])
    }

    @Test("The journal says what a command changed in one record, also after its undoing")
    func changes() async throws {
        let home = try filled()
        let (undo, detail) = (home.undo(), home.detail())
        let edit = { (words: [String]) in
            try await detail.send(.edit("aa", title: nil, body: nil, words: words, text: nil))
        }
        try await edit(["due:tomorrow", "+shop"])
        try await edit(["due:", "-shop", "body:long"])
        try await undo.send(.journal)
        let expected = [["body changed", "due removed", "-shop"], ["due tomorrow", "+shop"]]
        #expect(undo.state.commands.map(\.changes) == expected)
        try await undo.send(.undo)
        #expect(undo.state.commands.map(\.changes) == expected)
    }

    @Test("The journal says what a command changed alike in several records, also after its undoing")
    func changesOfSeveral() async throws {
        let home = try Home()
        try home.put([
            "a1": ["title": "A", "tags": ["x"], "priority": "L"], "b2": ["title": "B", "due": "2030-01-05"],
        ])
        let (undo, detail) = (home.undo(), home.detail())
        let edit = { (words: [String]) in
            try await detail.send(.edit("a1,b2", title: nil, body: nil, words: words, text: nil))
        }
        try await edit(["priority:H", "+x", "+shop", "due:2030-01-05"])
        try await edit(["priority:", "-shop"])
        try await detail.send(.edit("a1,b2", title: nil, body: nil, words: ["due:2030-01-05"], text: nil))
        try await undo.send(.journal)
        let expected = [["priority removed", "-shop"], ["priority H", "+shop"]]
        #expect(undo.state.commands.prefix(2).map(\.changes) == expected)
        try await undo.send(.undo)
        #expect(undo.state.commands.prefix(2).map(\.changes) == expected)
    }

    @Test("The journal names the assistant that gave a command, and undo reverts it")
    func actor() async throws {
        let home = try filled()
        let undo = home.undo()
        try await CommandActor.named("mcp (Test)") { try await home.list().send(.remove(["aa"])) }
        try await undo.send(.journal)
        #expect(undo.state.commands.map(\.actor) == ["mcp (Test)"])
        try await undo.send(.undo)
        #expect(try home.task("aa") != nil)
    }

    @Test("A command that is named is undone only while it is the last one")
    func named() async throws {
        let home = try filled()
        let (list, undo) = (home.list(), home.undo())
        try await list.send(.complete(["aa"]))
        try await undo.send(.journal)
        let entry = try #require(undo.state.commands.first?.entry)
        try await list.send(.complete(["bb"]))
        let other = await failure { try await undo.send(.undoOnly(entry)) }
        #expect(other.category == .conflict)
        #expect(other.message.hasPrefix("Nothing was undone: the last command is another one, `done` “Bread”."))
        #expect(try home.task("bb")?["status"] == "completed")
        try await undo.send(.undo)
        try await undo.send(.undoOnly(entry))
        #expect(undo.state.notice == "Undid `done`: “Milk”.")
        #expect(try home.task("aa")?["status"] == "pending")
        let again = await failure { try await undo.send(.undoOnly(entry)) }
        #expect(again.category == .conflict && again.message.hasPrefix("`done` is undone already."))
        let unknown = await failure { try await undo.send(.undoOnly("7")) }
        #expect(unknown.category == .notFound)
    }

    @Test("A state lists the first of many records that stay, and counts all")
    func manyLeft() async throws {
        let home = try Home()
        let ids = (0..<UndoScreen.leftMaximum + 5).map { "a\($0 + 100)" }
        for id in ids { try home.bring([id: ["title": .string(id)]]) }
        try await home.list().send(.tag(ids + ["+x"], confirmed: true))
        for id in ids { try home.bring([id: ["title": .string(id), "tags": "odd"]]) }
        let undo = home.undo()
        try await undo.send(.undo)
        #expect((undo.state.left.count, undo.state.leftTotal) == (UndoScreen.leftMaximum, ids.count))
        #expect(undo.state.notice?.hasSuffix("and \(ids.count - 1) more, see `journal`.") == true)
    }
}
