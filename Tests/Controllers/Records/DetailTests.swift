import ControllerKit
import Foundation
import Controllers
import LocalStore
import Records
import TestSupport
import Testing

@MainActor
@Suite("Details of one record", .timeLimit(.minutes(5)))
struct DetailTests {
    private func filled() throws -> Home {
        let home = try Home()
        try home.put([
            "aa": [
                "title": "Buy milk", "body": "2 litres", "tags": ["shop", "food"], "priority": "H",
                "estimate": 3, "custom": ["deep": true],
            ],
            "bb": ["title": "Other"],
        ])
        return home
    }

    private func edit(
        _ reference: String = "aa", title: String? = nil, body: String? = nil, _ words: String...
    ) -> DetailScreen.Intent { .edit(reference, title: title, body: body, words: words) }

    @Test("A record is shown with every field, including unknown ones")
    func show() async throws {
        let home = try filled()
        let detail = home.detail()
        try await detail.send(.show("aa"))
        let shown = try #require(detail.state.record)
        #expect((shown.id, shown.collection, shown.title, shown.body) == ("aa", "tasks", "Buy milk", "2 litres"))
        #expect(
            shown.fields.map { [$0.name, $0.value] } == [
                ["tags", "shop, food"], ["priority", "H"], ["status", "pending"], ["entry", "2026-11-21T05:20:00Z"],
                ["custom", #"{"deep":true}"#], ["estimate", "3"],
            ])
        #expect(shown.fields.map(\.label) == ["Tags", "Priority", "Status", "Created", "custom", "estimate"])
        #expect((shown.kind, shown.isDone) == ("task", false))
        #expect((shown.version, shown.isUnsent, shown.rejection) == (0, true, nil))
        #expect(shown.editedAt == moment("2026-11-21T05:20:00Z"))
        #expect(try shown.editedBy == home.services.store.writeNow { try $0.device() })
    }

    @Test(
        "The interval of a repeating task is also shown in words, if it is valid", arguments: ["2w", "every blue moon"])
    func words(interval: String) async throws {
        let home = try Home()
        try home.put(["aa": ["title": "Water plants", "repeat": .string(interval)]])
        let detail = home.detail()
        try await detail.send(.show("aa"))
        let field = try #require(detail.state.record?.fields.first { $0.name == "repeat" })
        #expect((field.value, field.words) == (interval, interval == "2w" ? "every 2 weeks" : nil))
    }

    @Test("An import's own fields of a record are not shown")
    func importMark() async throws {
        let home = try Home()
        try home.put(["aa": ["title": "Buy milk", "taskwarrior": ["title:9f86d081"]]])
        let detail = home.detail()
        try await detail.send(.show("aa"))
        #expect(detail.state.record?.fields.map(\.name) == ["status", "entry"])
    }

    @Test("A custom field keeps its kind; a value of another kind changes nothing")
    func kinds() async throws {
        let home = try filled()
        let detail = home.detail()
        try await detail.send(edit("aa", "field.estimate:8"))
        #expect(try home.task("aa")?["estimate"] == 8)
        let error = await failure { try await detail.send(edit("aa", "field.estimate:much", "+new")) }
        #expect(error.category == .usage)
        #expect(error.message.contains("The field “estimate” contains a number, not “much”."))
        #expect(try home.task("aa")?["estimate"] == 8)
        #expect(try home.task("aa")?["tags"] == ["shop", "food"])
    }

    @Test(
        "A title that looks like references is refused; the commands in the message do what may be meant",
        arguments: [
            ("aa", ["bb12", "3", "priority:L", "+x y"], "aa,bb12,3", "bb12 3"),
            ("1", ["2024", "+x y"], "1,2024", "2024"),
            ("1", ["2-3", "due:friday"], "1,2-3", "2-3"),
        ] as [(String, [String], String, String)])
    func ambiguousTitle(reference: String, words: [String], records: String, title: String) async throws {
        let home = try filled()
        let before = try home.everything()
        let refusal = await failure {
            try await home.detail().send(.edit(reference, title: nil, body: nil, words: words))
        }
        #expect(refusal.category == .usage)
        let changes = words.filter { $0.contains(":") || $0.contains("+") }
        let lines = refusal.message.split(separator: "\n").filter { $0.hasPrefix("    edit") }.map(String.init)
        #expect(
            try lines.map { try CommandWords.split($0) }
                == [["edit", records] + changes, ["edit", reference, "--title", title] + changes])
        #expect(try home.everything() == before)
    }

    @Test(
        "A title may contain numbers: with other words, behind --, or as --title",
        arguments: [
            (["2", "kg", "flour"], "2 kg flour"), (["--", "2", "3"], "2 3"), (["face"], "face"), (["12:30"], "12:30"),
        ])
    func numbersInTitles(words: [String], title: String) async throws {
        let home = try filled()
        let detail = home.detail()
        try await detail.send(.edit("aa", title: nil, body: nil, words: words))
        #expect(try home.task("aa")?["title"] == .string(title))
        try await detail.send(edit("aa", title: "2 3", "priority:L"))
        #expect(try home.task("aa")?["title"] == "2 3")
    }

    @Test("A missing record is reported, and the shown record stays")
    func unknown() async throws {
        let detail = try filled().detail()
        try await detail.send(.show("aa"))
        let error = await failure { try await detail.send(.show("zz")) }
        #expect(error.category == .notFound)
        #expect(detail.state.record?.id == "aa")
    }

    @Test("Words and options are one edit; fields that they don't name are unchanged")
    func mergesWordsAndOptions() async throws {
        let home = try filled()
        let detail = home.detail()
        try await detail.send(
            edit(title: "Buy oat milk", body: "1 litre", "+vegan", "-food", "due:tomorrow", "priority:"))
        #expect(detail.state.notice == "Changed “Buy oat milk”.")
        #expect(
            try home.task("aa") == [
                "title": "Buy oat milk", "body": "1 litre", "tags": ["shop", "vegan"], "due": "2026-11-22",
                "estimate": 3, "custom": ["deep": true], "status": "pending", "entry": "2026-11-21T05:20:00Z",
            ])
        #expect(detail.state.record?.title == "Buy oat milk")
        try await detail.send(edit("aa", "A", "new", "title"))
        #expect(try home.task("aa")?["title"] == "A new title")
        try await detail.send(edit("aa", body: ""))
        #expect(try home.task("aa")?["body"] == nil)
    }

    @Test("An edit that changes nothing is reported, and nothing is sent")
    func nothingChanges() async throws {
        let home = try filled()
        let detail = home.detail()
        let before = try home.services.store.readNow { try $0.cached(RecordKey(collection: "tasks", id: "aa")) }
        try await detail.send(edit(title: "Buy milk", "+shop", "priority:h"))
        #expect(detail.state.notice == "Nothing to change: “Buy milk” already has these values.")
        #expect(try home.services.store.readNow { try $0.cached(RecordKey(collection: "tasks", id: "aa")) } == before)
    }

    @Test("An edit without a change, or with a field twice, is refused before the record is looked up")
    func usage() async throws {
        let detail = try filled().detail()
        let both = await failure { try await detail.send(.edit("zz", title: "One", body: nil, words: [], text: "Two")) }
        #expect(both == Failure(.usage, "A text replaces the whole record, so nothing else can be given with it."))
        let titles = await failure { try await detail.send(edit("zz", title: "One", "Two")) }
        #expect(titles == Failure(.usage, "The title is given twice: by --title and by “Two”."))
        let bodies = await failure { try await detail.send(edit("zz", body: "One", "body:Two")) }
        #expect(bodies == Failure(.usage, "The body is given twice: by a file and by “body:”."))
        let date = await failure { try await detail.send(edit("aa", "due:someday-maybe")) }
        #expect(date.category == .usage)
    }

    @Test(
        "An invalid title or body is refused, and the record is unchanged",
        arguments: [
            ("", nil, "The title is empty"), ("a\nb", nil, "several lines"),
            (
                String(repeating: "x", count: 1 << 20), nil,
                "The title is too long: 1024 KiB where 16 KiB are allowed"
            ),
            (nil, String(repeating: "x", count: 1 << 20), "The body is too long"),
        ] as [(String?, String?, String)])
    func refused(title: String?, body: String?, message: String) async throws {
        let home = try filled()
        let before = try home.task("aa")
        let error = await failure { try await home.detail().send(edit(title: title, body: body)) }
        #expect(error.category == .usage)
        #expect(error.message.contains(message))
        #expect(try home.task("aa") == before)
    }

    @Test("An annotation gets the time; the others stay, including those of an unknown shape")
    func annotate() async throws {
        let home = try filled()
        let detail = home.detail()
        try home.services.store.writeNow {
            _ = try $0.edit(RecordKey(collection: "tasks", id: "aa"), ["annotations": [["odd": 1]]])
        }
        try await detail.send(.annotate("aa", text: ["asked", "in the shop"]))
        #expect(detail.state.notice == "Annotated “Buy milk”.")
        #expect(
            detail.state.record?.annotations.map { [$0.at.formatted(.iso8601), $0.text] } == [
                ["2026-11-21T05:20:00Z", "asked in the shop"]
            ])
        #expect(try home.task("aa")?["annotations"]?.array?.count == 2)
        let error = await failure { try await detail.send(.annotate("aa", text: [" "])) }
        #expect(error == Failure(.usage, "The annotation is empty. Give it some text."))
    }

    @Test("A record that another device deletes is no longer shown, and that is reported")
    func deletedMeanwhile() async throws {
        let home = try filled()
        let detail = home.detail()
        let view = ScriptedView<DetailScreen>()
        detail.attach(view)
        try await view.send(.show("aa"))
        try home.delete("aa")
        let state = await view.next { $0.record == nil }
        #expect(state.notice == "“Buy milk” has been deleted.")
        let error = await failure { try await view.send(edit("aa", title: "Back again")) }
        #expect(error.category == .notFound)
        #expect(try home.titles() == ["Other"], "An edit never brings a deleted record back.")
    }

    @Test("Two concurrent edits reach their own records")
    func twoEdits() async throws {
        let home = try filled()
        let detail = home.detail()
        async let first: Void = detail.send(edit("aa", title: "First"))
        async let second: Void = detail.send(edit("bb", title: "Second"))
        _ = try await (first, second)
        #expect(try home.task("aa")?["title"] == "First")
        #expect(try home.task("bb")?["title"] == "Second")
        let shown = try #require(detail.state.record)
        #expect(shown.title == (shown.id == "aa" ? "First" : "Second"))
    }
}
