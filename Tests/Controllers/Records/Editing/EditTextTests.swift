import ControllerKit
import Controllers
import LocalStore
import Records
import TestSupport
import Testing

@MainActor
@Suite("Editing a record as text", .timeLimit(.minutes(5)))
struct EditTextTests {
    private let home: Home
    private let detail: Presentation<DetailScreen>

    init() throws {
        home = try Home()
        try home.put([
            "aa": ["title": "Buy milk", "body": "2 litres\n", "tags": ["shop"], "estimate": 3],
            "bb": ["title": "Other"],
        ])
        detail = home.detail()
    }

    /// Requests the text of a record.
    private func offer(_ reference: String = "aa") async throws -> String {
        let refusal = await failure { try await detail.send(intent(reference)) }
        #expect(refusal.category == .usage && refusal.message.hasPrefix("No change is given. Example: edit"))
        return try #require(detail.state.draft).text
    }

    private func intent(_ reference: String = "aa", _ text: String? = nil) -> DetailScreen.Intent {
        .edit(reference, title: nil, body: nil, words: [], text: text)
    }

    private func fields(_ patch: JSONObject) throws {
        _ = try home.services.store.writeNow { try $0.edit(RecordKey(collection: "tasks", id: "aa"), patch) }
    }

    private func conflicts() throws -> Int { try home.services.store.readNow { try $0.conflicts.openCount() } }

    @Test("Without a change in the command the record is offered as text; the edited text is one command")
    func edit() async throws {
        let text = try await offer()
        #expect(detail.state.draft?.record == "aa" && detail.state.draft?.problem == nil)
        try await detail.send(intent("aa", text.replacing("milk", with: "bread") + "and butter\n"))
        #expect(detail.state.draft == nil)
        #expect(detail.state.notice == "Changed “Buy bread”.")
        #expect(detail.state.record?.title == "Buy bread")
        #expect(try home.task("aa")?["body"] == "2 litres\n\nand butter")
        try await home.undo().send(.undo)
        #expect(try home.task("aa")?["title"] == "Buy milk")
        #expect(try home.task("aa")?["body"] == "2 litres\n")
    }

    @Test("An unchanged text changes nothing, even if the record has changed")
    func unchanged() async throws {
        let text = try await offer()
        try fields(["title": "Buy rice"])
        try await detail.send(intent("aa", text))
        #expect(detail.state.notice == "Nothing changed in “Buy rice”.")
        #expect(try home.task("aa")?["title"] == "Buy rice")
    }

    @Test("Concurrent changes are merged; of a field changed on both sides both values are kept")
    func merge() async throws {
        let text = try await offer()
        try fields(["project": "home", "tags": ["shop", "new"]])
        try await detail.send(intent("aa", text.replacing("milk", with: "bread")))
        #expect(detail.state.notice == "Changed “Buy bread”, which was also changed elsewhere; both changes are kept.")
        #expect(try home.task("aa")?["project"] == "home" && conflicts() == 0)
        let again = try await offer()
        try fields(["project": "work"])
        try await detail.send(intent("aa", again.replacing("project: home", with: "project: garden")))
        #expect(detail.state.notice?.hasSuffix("project has a conflict: see `conflicts`.") == true)
        #expect(try home.task("aa")?["project"] == "garden" && conflicts() == 1)
        let inbox = home.conflicts()
        try await inbox.send(.list(resolved: false))
        #expect(inbox.state.rows.map { [$0.earlier.value, $0.later.value] } == [["work", "garden"]])
        #expect(inbox.state.rows.first?.hasChangedSince == false)
        try await inbox.send(.resolve("1", .earlier, value: nil, revive: false))
        #expect(try home.task("aa")?["project"] == "work")
    }

    @Test("Lines of the body changed on both sides stay in it, between markers, and in the inbox")
    func bodies() async throws {
        let text = try await offer()
        try fields(["body": "3 litres\n"])
        try await detail.send(intent("aa", text.replacing("2 litres", with: "1 litre")))
        #expect(
            try home.task("aa")?["body"]
                == "<<<<<<< earlier\n3 litres\n=======\n1 litre\n>>>>>>> later\n")
        let inbox = home.conflicts()
        try await inbox.send(.list(resolved: false))
        #expect(inbox.state.rows.map(\.kept) == [.both] && inbox.state.rows.map(\.hasChangedSince) == [false])
        try await inbox.send(.resolve("1", .later, value: nil, revive: false))
        #expect(try home.task("aa")?["body"] == "1 litre\n")
    }

    @Test(
        "A record that was deleted meanwhile returns with the edit, even if no trace of it was left",
        arguments: [true, false])
    func deleted(isSynced: Bool) async throws {
        if isSynced { try home.acknowledge("aa") }
        let text = try await offer()
        try home.delete("aa")
        try await detail.send(intent("aa", text.replacing("milk", with: "bread")))
        #expect(detail.state.notice == "“Buy bread” was deleted in the meantime; your edit restored it.")
        #expect(try home.task("aa")?["estimate"] == 3)
        #expect(try home.task("aa")?["title"] == "Buy bread")
    }

    @Test("An invalid text is offered again as typed, with the errors on top, until it is valid")
    func badText() async throws {
        let text = try await offer()
        let typed = text.replacing("due:", with: "due: whenever").replacing("milk", with: "bread")
        let refusal = await failure { try await detail.send(intent("aa", typed)) }
        #expect(refusal.category == .rejected && refusal.message.contains("Can't read “whenever” as a date"))
        let draft = try #require(detail.state.draft)
        #expect(draft.problem == refusal.message)
        #expect(draft.text.hasPrefix("---\n# ! Can't read “whenever” as a date"))
        #expect(draft.text.contains("title: Buy bread\n"))
        #expect(try home.task("aa")?["title"] == "Buy milk")
        try fields(["estimate": 5])
        try await detail.send(intent(draft.record, draft.text.replacing("due: whenever", with: "due: tomorrow")))
        #expect(try home.task("aa")?["due"] == "2026-11-22")
        #expect(try home.task("aa")?["estimate"] == 5, "The base is still the text that was shown first.")
    }

    @Test("A text of another record and one that makes the record too large are refused; nothing is changed")
    func refusals() async throws {
        let text = try await offer("bb")
        let other = await failure { try await detail.send(intent("aa", text.replacing("id: bb", with: "id: cc"))) }
        #expect(other.message.hasPrefix("The text belongs to another record, cc"))
        let long = await failure {
            try await detail.send(intent("bb", text + String(repeating: "x", count: FieldLimits.bodyBytes + 1)))
        }
        #expect(long.category == .rejected && long.message.hasPrefix("The body is too long"))
        #expect(try home.task("bb")?["body"] == nil)
    }

    @Test(
        "A text from another session is matched by its fingerprint; if its record has changed, both values are kept")
    func otherSession() async throws {
        let text = try await offer().replacing("milk", with: "bread")
        let later = home.detail()
        try await later.send(intent("aa", text.replacing("tags: shop\n", with: "")))
        #expect(try home.task("aa")?["tags"] == nil)
        try await later.send(intent("aa", text.replacing("bread", with: "rice")))
        #expect(try home.task("aa")?["title"] == "Buy rice")
        #expect(try conflicts() == 1)
    }

    @Test("A text written by hand sets its fields and leaves the others unchanged")
    func byHand() async throws {
        try await detail.send(intent("aa", "---\ntitle: By hand\n---\n"))
        #expect(try home.task("aa")?["title"] == "By hand")
        #expect(try home.task("aa")?["body"] == "2 litres\n")
        #expect(try home.task("aa")?["tags"] == ["shop"])
        try home.delete("aa")
        let gone = await failure { try await detail.send(intent("aa", "---\ntitle: x\n---\n")) }
        #expect(gone.category == .notFound)
    }
}
