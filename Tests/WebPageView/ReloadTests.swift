import ControllerKit
import Controllers
import LocalStore
import Records
import TestSupport
import Testing

@testable import WebPageView

/// The page of a process of its own, as `satchel web` serves it, while commands of other processes change the records.
@MainActor
@Suite struct ReloadTests {
    private let house: House
    /// The commands: a session that shares nothing with the page.
    private let commands: Coordinator

    init() throws {
        house = try House(isAlone: true)
        commands = Coordinator(house.site.catalog) { _ in }
    }

    private func add(_ line: String...) async throws { try await commands.perform("add", ["words": .list(line)]) }

    /// Adds a task with a conflict about its title, as a sync does, and returns the id of the conflict.
    private func addConflict(_ title: String) async throws -> String {
        try await add(title)
        let moment = HLC(milliseconds: house.clock.milliseconds, device: "other-device")
        let found = FieldConflict(
            field: "title", earlier: FieldEdit(value: "Other", moment: moment),
            later: FieldEdit(value: .string(title), moment: moment), kept: .later)
        let conflict = ConflictRecord(found, in: RecordKey(collection: "tasks", id: try await house.id(of: title)))
        try house.services.store.writeNow { _ = try $0.edit(conflict.key, conflict.fields) }
        return conflict.id
    }

    @Test func `a reload lists the conflicts that came after those that were resolved elsewhere`() async throws {
        let browser = try await Browser.letIn(to: house.site)
        let first = try await addConflict("First plan")
        #expect(await browser.page("/conflicts").contains("First plan"))
        try await commands.perform("resolve", ["conflict": .text(first), "choice": .text("keep")])
        try await eventually("the open page shows that it is resolved") {
            await browser.page("/conflicts?live=1").contains("No conflicts")
        }
        _ = try await addConflict("Second plan")
        let page = await browser.page("/conflicts")
        #expect(page.contains("Second plan"))
        #expect(!page.contains("No conflicts") && !page.contains("more: resolve some of these"))
    }

    @Test func `a reload lists a new conflict next to one that is still open`() async throws {
        let browser = try await Browser.letIn(to: house.site)
        _ = try await addConflict("First plan")
        #expect(await browser.page("/conflicts").contains("First plan"))
        _ = try await addConflict("Second plan")
        let page = await browser.page("/conflicts")
        #expect(page.contains("First plan") && page.contains("Second plan"))
    }

    @Test func `a reload keeps a text that is being edited`() async throws {
        let browser = try await Browser.letIn(to: house.site)
        let conflict = try await addConflict("First plan")
        _ = await browser.page("/conflicts")
        let edit = [("conflict", conflict), ("choice", "edit")]
        _ = try await browser.post("/conflicts/resolve", edit, at: "/conflicts")
        for _ in 0..<2 { #expect(await browser.page("/conflicts").contains("<textarea")) }
    }

    @Test func `a reload groups the list again; the update of an open page doesn't`() async throws {
        try await add("Now", "due:today")
        let browser = try await Browser.letIn(to: house.site)
        #expect(await browser.page("/list").contains("Now"))
        try await add("Late", "due:yesterday")
        try await eventually("the open page shows the new task") {
            await browser.page("/list?live=1").contains("New since")
        }
        let page = await browser.page("/list")
        #expect(page.contains("Late") && page.contains("<h2>Overdue") && !page.contains("New since"))
    }

    @Test func `the page after a form shows what it did in its place, a reload lists again`() async throws {
        try await add("Buy milk")
        try await add("Mend the gate")
        let browser = try await Browser.letIn(to: house.site)
        _ = await browser.page("/list")
        let id = try await house.id(of: "Buy milk")
        _ = try await browser.post("/list/done", [("records", id)])
        #expect(await browser.page("/list").contains("/detail?record=\(id)"))
        #expect(await !browser.page("/list").contains("/detail?record=\(id)"))
    }

    @Test func `a reload of a page that a prompt shares leaves the list as it is`() async throws {
        let shared = try House()
        try await shared.prompt.perform("add", ["words": .list(["Now", "due:today"])])
        try await shared.prompt.perform("list")
        let browser = try await Browser.letIn(to: shared.site)
        try await shared.prompt.perform("add", ["words": .list(["Late", "due:yesterday"])])
        #expect(await browser.page("/list").contains("New since"))
    }
}
