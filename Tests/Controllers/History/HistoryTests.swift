import Backend
import ControllerKit
import Foundation
import LocalStore
import Records
import SyncAPI
import TestSupport
import Testing

@testable import Controllers

@MainActor
@Suite("A record's history", .timeLimit(.minutes(5)))
struct HistoryTests {
    private let route = AuthenticatedRoute.revisions(space: "space-ada", collection: "tasks", id: "aa")

    /// A signed-in home with a task that the server has at version 9.
    private func filled() throws -> Home {
        let home = try Home(signedInAs: "ada")
        try home.services.store.writeNow { try $0.account.save(deviceNames: ["desktop": "Desk"]) }
        try home.bring(["aa": ["title": "Oat milk", "priority": "H", "taskwarrior": ["m2"]]], version: 9)
        return home
    }

    private func revision(_ version: Int64, _ fields: String?, by device: String = "desktop") -> String {
        """
        {"collection": "tasks", "id": "aa", "version": \(version), "deleted": \(fields == nil),
         "modifiedAt": "2026-11-20T10:00:0\(version).000Z", "modifiedBy": "\(device)",
         "clock": {"*": "019b00000000-0000-desktop"}\(fields.map { #", "fields": \#($0)"# } ?? "")}
        """
    }

    private func answer(_ revisions: [String], more: Bool = false) -> HTTPResponse {
        .json(#"{"revisions": [\#(revisions.joined(separator: ", "))], "more": \#(more)}"#)
    }

    private var past: [String] {
        [
            revision(9, #"{"title": "Oat milk", "priority": "H", "taskwarrior": ["m2"]}"#),
            revision(8, nil),
            revision(7, #"{"title": "Milk", "body": "a\nb", "due": "2026-12-01T00:00:00Z"}"#),
            revision(5, #"{"title": "Milk", "body": "a"}"#),
        ]
    }

    @Test("It shows for each revision who made it, when, and what it changed; an import's own fields aren't shown")
    func show() async throws {
        let home = try filled()
        home.transport.expect(route, answer: answer(past))
        let history = home.history()
        try await history.send(.show("aa"))
        let shown = history.state.revisions
        #expect(shown.map(\.version) == [9, 8, 7, 5])
        #expect(shown.map(\.event) == [.revived, .deleted, .changed, .made])
        #expect(shown[0].changes.map(\.field) == ["priority", "title"])
        #expect(
            (shown[0].at, shown[0].device, shown[0].deviceName) == (
                moment("2026-11-20T10:00:09.000Z"), "desktop", "Desk"
            ))
        #expect(shown[1].changes.isEmpty)
        #expect(
            shown[2].changes == [
                .init(
                    field: "body", label: "Body", from: "a", to: "a\nb",
                    diff: TextDiff(from: "a", to: "a\nb")),
                .init(field: "due", label: "Due", from: nil, to: "2026-12-01T00:00:00Z", diff: nil, isMoment: true),
            ])
        #expect(history.state.record == .init(id: "aa", collection: "tasks", title: "Oat milk", isDeleted: false))
        home.transport.verify()
    }

    @Test("Of sets, it shows what was added and removed: tags, annotations by their text, and records by short ids")
    func sets() async throws {
        let home = try filled()
        let old = #"{"entry": "2026-11-19T10:00:00Z", "description": "Old"}"#
        let new = #"{"entry": "2026-11-20T10:00:00Z", "description": "New"}"#
        let blocker = "0199c0de-0000-7000-8000-000000000001"
        home.transport.expect(
            route,
            answer: answer([
                revision(
                    9,
                    #"{"title": "Milk", "tags": ["shop", "food"], "depends": ["\#(blocker)"], "#
                        + #""annotations": [\#(old), \#(new)]}"#),
                revision(7, #"{"title": "Milk", "tags": ["home", "shop"], "annotations": [\#(old)]}"#),
            ]))
        let history = home.history()
        try await history.send(.show("aa"))
        let changes = history.state.revisions[0].changes
        #expect(changes.map(\.field) == ["annotations", "depends", "tags"])
        #expect(changes[0].elements == .init(added: ["New"], removed: []))
        #expect(changes[1].elements?.added.count == 1)
        #expect(changes[1].elements?.added != [blocker])
        #expect(changes[2].elements == .init(added: ["food"], removed: ["home"]))
        #expect(history.state.revisions[1].changes.first { $0.field == "title" }?.elements == nil)
    }

    @Test("Unsent edits are on top; for the oldest kept revision, the changes are unknown")
    func unsent() async throws {
        let home = try filled()
        try await home.detail().send(.edit("aa", title: "Rice milk", body: nil, words: []))
        home.transport.expect(route, answer: answer(Array(past.prefix(1)), more: true))
        let history = home.history()
        try await history.send(.show("aa"))
        let shown = history.state.revisions
        #expect(shown.map(\.version) == [nil, 9])
        #expect(
            shown[0].changes == [.init(field: "title", label: "Title", from: "Oat milk", to: "Rice milk", diff: nil)])
        #expect((shown[0].isMine, shown[0].at, shown[0].event) == (true, nil, .changed))
        #expect((shown[1].event, shown[1].changes.count, history.state.more) == (.oldest, 0, true))
    }

    @Test("Where the server has as many revisions as it keeps, the oldest one isn't shown as the record's creation")
    func removedByTheServer() async throws {
        for (kept, oldest) in [(4, HistoryScreen.State.Event.oldest), (5, .made)] {
            let home = try filled()
            let body = #"{"revisions": [\#(past.joined(separator: ", "))], "more": false, "kept": \#(kept)}"#
            home.transport.expect(route, answer: .json(body))
            let history = home.history()
            try await history.send(.show("aa"))
            #expect(history.state.revisions.last?.event == oldest)
            #expect(history.state.more == (oldest == .oldest))
        }
    }

    @Test("For a record that was never sent, the server isn't asked")
    func neverSent() async throws {
        let home = try Home()
        try home.put(["aa": ["title": "Milk"]])
        let history = home.history()
        try await history.send(.show("aa"))
        #expect(history.state.revisions.map(\.event) == [.made])
        let restored = await failure { try await history.send(.restore("aa", version: 1)) }
        #expect(restored.category == .notFound && restored.message.contains("“Milk” was never synced"))
    }

    @Test("Names of unknown devices are requested and shown at once")
    func names() async throws {
        let home = try filled()
        home.transport.expect(route, answer: answer([revision(9, "{}", by: "phone-1")]))
        home.transport.expect(AuthenticatedRoute.devices, answer: Answer.devices(["phone-1": "Phone"]))
        let history = home.history()
        try await history.send(.show("aa"))
        #expect(history.state.revisions.first?.deviceName == "Phone")
        home.transport.verify()
    }

    @Test("Without the server it reports so, and what works without it")
    func offline() async throws {
        let home = try filled()
        home.transport.expect(route, failing: .refused)
        let error = await failure { try await home.history().send(.show("aa")) }
        #expect(error.category == .unreachable)
        #expect(error.message.contains("`journal`") && error.message.contains("`undo`"))
    }

    @Test("Reports: not signed in, an answer of another shape, a server without histories")
    func failures() async throws {
        let signedOut = try Home()
        try signedOut.bring(["aa": ["title": "Milk"]])
        #expect(await failure { try await signedOut.history().send(.show("aa")) }.category == .signedOut)
        for (body, category) in [
            (#"{"revisions": [{}], "more": false}"#, Failure.Category.unreachable),
            (#"{"revisions": []}"#, .unreachable), ("[", .unreachable),
        ] {
            let home = try filled()
            home.transport.expect(route, answer: .json(body))
            #expect(await failure { try await home.history().send(.show("aa")) }.category == category)
        }
        let home = try filled()
        home.transport.expect(
            route, answer: .problem(404, .notFound))
        let error = await failure { try await home.history().send(.show("aa")) }
        #expect(error == Failure(.notFound, "The server has no history of “Oat milk”.", diagnostic: error.diagnostic))
    }

    @Test("A restored revision is a new edit with its fields only; an import's own fields stay")
    func restore() async throws {
        let home = try filled()
        home.transport.expect(route, answer: answer(past))
        let history = home.history()
        try await history.send(.restore("aa", version: 7))
        #expect(history.state.notice == "Restored revision 7 of “Milk”.")
        #expect(
            try home.task("aa") == [
                "title": "Milk", "body": "a\nb", "due": "2026-12-01T00:00:00Z", "taskwarrior": ["m2"],
            ])
        let cached = try home.services.store.readNow { try $0.cached(RecordKey(collection: "tasks", id: "aa")) }
        #expect(cached?.pending != nil)
        try await home.undo().send(.undo)
        #expect(try home.task("aa")?["title"] == "Oat milk")
    }

    @Test("Restoring brings a deleted record back")
    func revive() async throws {
        let home = try filled()
        try home.delete("aa")
        home.transport.expect(route, answer: answer(past))
        try await home.history().send(.restore("aa", version: 5))
        #expect(try home.task("aa") == ["title": "Milk", "body": "a", "taskwarrior": ["m2"]])
    }

    @Test("A revision that is current, is no state, or isn't kept changes nothing, and is reported")
    func nothing() async throws {
        let home = try filled()
        let before = try home.everything()
        let history = home.history()
        for _ in 0..<3 { home.transport.expect(route, answer: answer(past)) }
        try await history.send(.restore("aa", version: 9))
        #expect(history.state.notice == "Nothing to change: “Oat milk” already matches revision 9.")
        let deletion = await failure { try await history.send(.restore("aa", version: 8)) }
        #expect(deletion.category == .usage && deletion.message.contains("`rm`"))
        let unknown = await failure { try await history.send(.restore("aa", version: 6)) }
        #expect(unknown.category == .notFound && unknown.message.contains("no revision 6"))
        #expect(try home.everything() == before)
        #expect(await failure { try await history.send(.show("zz")) }.category == .notFound)
    }
}
