import ControllerKit
import Controllers
import LocalStore
import Records
import TestSupport
import Testing

@MainActor
@Suite("Adding, completing, tagging, removing", .timeLimit(.minutes(5)))
struct ChangesTests {
    private func filled() throws -> Home {
        let home = try Home()
        try home.put(["aa": ["title": "One"], "bb": ["title": "Two"], "cc": ["title": "Three", "tags": ["x"]]])
        return home
    }

    @Test("A task is added with its words; the notice names it")
    func add() async throws {
        let home = try Home()
        let list = home.list()
        try await list.send(
            .add(["Buy", "milk", "+shop", "project:home", "due:2026-12-24", "priority:h"], body: "2 %\n"))
        let id = try #require(list.state.changed.first)
        #expect(id.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        #expect(
            try home.task(id) == [
                "title": "Buy milk", "tags": ["shop"], "project": "home", "due": "2026-12-24",
                "priority": "H", "body": "2 %\n", "status": "pending", "entry": "2026-11-21T05:20:00Z",
            ])
        let notice = try #require(list.state.notice)
        #expect(notice.hasPrefix("Added task \(ShortID.whole(id).prefix(4))"))
        #expect(notice.hasSuffix(" “Buy milk”, due Thu 24 Dec."))
        #expect(try home.services.store.readNow { try $0.outbox.unsent().records } == 1)
    }

    @Test(
        "The notice says how a due date was understood, and whether it is past",
        arguments: [
            ("tomorrow", "tomorrow"), ("3pm", "today 15:00"), ("4am", "tomorrow 04:00"),
            ("today 4am", "today 04:00 (in the past)"), ("", nil),
        ])
    func dueWords(typed: String, words: String?) async throws {
        let list = try Home().list()
        try await list.send(.add(["Buy", "milk", "due:\(typed)"], body: nil))
        #expect(try #require(list.state.notice).hasSuffix(" “Buy milk”" + (words.map { ", due \($0)." } ?? ".")))
    }

    @Test("A date at the end of a title is not used; the notice says how to use it")
    func titleDate() async throws {
        let list = try Home().list()
        func added(_ words: [String]) async throws -> String {
            try await list.send(.add(words, body: nil))
            return try #require(list.state.notice)
        }
        let notice = try await added(["Dentist", "tomorrow", "5pm"])
        let prefix = try #require(notice.split(separator: " ").dropFirst(2).first)
        #expect(
            notice == "Added task \(prefix) “Dentist tomorrow 5pm”. The title ends with a date: “tomorrow 5pm”. "
                + "To use it: edit \(prefix) due:\"tomorrow 5pm\" --title Dentist")
        #expect(try await added(["Dentist", "tomorrow"]).hasSuffix(" due:tomorrow --title Dentist"))
        let time = try await added(["Call", "Bob", "due:friday", "+shop", "5pm"])
        #expect(time.contains("The title ends with a time: “5pm”. To use it: edit "))
        #expect(time.hasSuffix(" due:\"2026-11-27 5pm\" --title \"Call Bob\""))
        #expect(try await added(["Call", "due:friday 3pm", "5pm"]).hasSuffix("due Fri 27 Nov 15:00."))
        #expect(try await added(["Dentist", "tomorrow", "due:friday"]).hasSuffix("due Fri 27 Nov."))
        #expect(try await added(["Read", "chapter", "3"]).hasSuffix("“Read chapter 3”."))
        try await list.send(.add(["Ideas", "tomorrow"], body: nil, type: "note"))
        #expect(list.state.notice?.hasSuffix("“Ideas tomorrow”.") == true)
    }

    @Test("A note is added, without a status")
    func note() async throws {
        let home = try Home()
        let list = home.list()
        try await list.send(.add(["Ideas", "+later"], body: "first\nsecond", type: "note"))
        let records = try home.services.store.readNow { try $0.records(in: ["notes"]) }
        #expect(
            records.map(\.fields) == [
                ["title": "Ideas", "tags": ["later"], "body": "first\nsecond", "entry": "2026-11-21T05:20:00Z"]
            ])
        #expect(list.state.notice?.hasPrefix("Added note ") == true)
    }

    @Test(
        "Without a title nothing is added",
        arguments: [["+shop"], ["due:tomorrow", "project:home"], ["--"], []])
    func noTitle(words: [String]) async throws {
        let home = try Home()
        let error = await failure { try await home.list().send(.add(words, body: "text")) }
        #expect(error == Failure(.usage, "The title is missing. Give the record a title."))
        #expect(try home.services.store.readNow { try $0.outbox.unsent().records } == 0)
    }

    @Test("A title of 1 MiB is refused with its size and the limit; nothing is stored")
    func longTitle() async throws {
        let home = try Home()
        let title = String(repeating: "x", count: 1 << 20)
        let error = await failure { try await home.list().send(.add([title], body: nil)) }
        #expect(
            error
                == Failure(
                    .usage, "The title is too long: 1024 KiB where 16 KiB are allowed. Put the rest into the body.")
        )
        #expect(try home.titles().isEmpty)
    }

    @Test(
        "A title of blanks or several lines, a body over its limit, and a record that is too large are refused",
        arguments: [
            (["  "], nil, "The title is empty"), (["a\nb"], nil, "several lines"),
            (["Long"], String(repeating: "x", count: 300_000), "The body is too long"),
            (["Big", "field.x:" + String(repeating: "y", count: 1 << 20)], nil, "Shorten it"),
            (["Twice", "body:one"], "two", "The body is given twice"),
        ] as [([String], String?, String)])
    func refused(words: [String], body: String?, message: String) async throws {
        let home = try Home()
        let error = await failure { try await home.list().send(.add(words, body: body)) }
        #expect(error.category == .usage)
        #expect(error.message.contains(message))
        #expect(try home.services.store.readNow { try $0.outbox.unsent().records } == 0)
    }

    @Test("Several tasks are completed or reopened at once, each once; tasks already in that state are unchanged")
    func doneAndUndone() async throws {
        let home = try filled()
        let list = home.list()
        try await list.send(.complete(["aa", "bb", "aa"]))
        #expect(list.state.changed == ["aa", "bb"])
        #expect(list.state.notice == "Done: 2 tasks.")
        #expect(try home.task("aa")?["end"] == "2026-11-21T05:20:00Z")
        home.clock.advance(by: .seconds(60))
        try await list.send(.complete(["aa", "cc"]))
        #expect(list.state.changed == ["cc"])
        #expect(list.state.notice == "Done: “Three”.")
        #expect(try home.task("aa")?["end"] == "2026-11-21T05:20:00Z")
        try await list.send(.complete(["aa"]))
        #expect(list.state.notice == "Nothing to change: “One” is already done.")
        try await list.send(.complete(["aa", "cc"]))
        #expect(list.state.notice == "Nothing to change: 2 tasks are already done.")
        try await list.send(.reopen(["bb", "aa"]))
        try await list.send(.reopen(["bb"]))
        #expect(list.state.notice == "Nothing to change: “Two” is already open.")
        try await list.send(.tag(["bb", "-unused"]))
        #expect(list.state.notice == "Nothing to change: “Two” has no tag “unused”.")
        try await list.send(.tag(["aa", "bb", "-unused"]))
        #expect(list.state.notice == "Nothing to change: 2 tasks have no tag “unused”.")
        try await list.send(.complete(["aa"]))
        try await list.send(.reopen(["aa"]))
        #expect(list.state.notice == "Reopened: “One”.")
        #expect(try home.task("aa")?["end"] == nil)
        #expect(try home.task("aa")?["status"] == "pending")
    }

    @Test("One wrong reference among right ones changes nothing")
    func oneBad() async throws {
        let home = try filled()
        let list = home.list()
        try await list.send(.add(["A note"], body: nil, type: "note"))
        let note = try #require(list.state.changed.first)
        let before = try home.services.store.readNow { try $0.records() }.sorted { $0.key.id < $1.key.id }
        let intents: [(ListScreen.Intent, Failure.Category)] = [
            (.complete(["aa", "zz"]), .notFound), (.remove(["aa", "zz"]), .notFound),
            (.reopen(["zz", "aa"]), .notFound),
            (.tag(["aa", "zz", "+new"]), .notFound), (.complete(["aa", note]), .usage),
        ]
        for (intent, category) in intents {
            #expect(await failure { try await list.send(intent) }.category == category)
            #expect(list.state.changed.isEmpty)
        }
        #expect(try home.services.store.readNow { try $0.records() }.sorted { $0.key.id < $1.key.id } == before)
    }

    @Test("Records are removed; the list shows the others under their numbers")
    func remove() async throws {
        let home = try filled()
        let list = home.list()
        try await list.send(.list(filter: ["sort:entry"], limit: nil, offset: nil))
        try await list.send(.remove(["1", "3"]))
        #expect(list.state.notice == "Deleted: 2 tasks.")
        #expect(list.state.changed == ["aa", "cc"])
        #expect(list.state.rows.map(\.number) == [2])
        #expect(try home.titles() == ["Two"])
    }

    @Test("Tags are added and removed on several records in one command")
    func tag() async throws {
        let home = try filled()
        let list = home.list()
        try await list.send(.tag(["bb", "cc", "+shop", "-x"]))
        #expect(list.state.notice == "Tagged: 2 tasks.")
        #expect(try home.task("bb")?["tags"] == ["shop"])
        #expect(try home.task("cc")?["tags"] == ["shop"])
        try await list.send(.tag(["cc", "-shop"]))
        #expect(try home.task("cc")?["tags"] == nil)
    }

    @Test(
        "An invalid tag never becomes a title",
        arguments: [["aa", "+1"], ["aa", "+shop", "-5"], ["aa", "+due:x"], ["aa"], ["+shop"], ["aa", "+"]])
    func noTag(words: [String]) async throws {
        let home = try filled()
        let error = await failure { try await home.list().send(.tag(words)) }
        #expect(error.category == .usage)
        #expect(error.message.contains("+shop"))
        #expect(try home.titles() == ["One", "Two", "Three"])
    }

    @Test("A notice is about the last command only")
    func notices() async throws {
        let list = try filled().list()
        try await list.send(.complete(["aa"]))
        _ = await failure { try await list.send(.complete(["zz"])) }
        #expect(list.state.notice == nil)
        #expect(list.state.changed.isEmpty)
    }
}
