import ControllerKit
import Controllers
import TestSupport
import Testing

@testable import WebPageView

@MainActor
@Suite struct SharingTests {
    private let house: House

    init() throws { house = try House() }

    private var rows: [String] {
        (house.prompt.state(of: "list") as? ListScreen.State)?.rows.map(\.title) ?? []
    }

    @Test func `the page shows what the prompt lists, and the prompt what the page changes`() async throws {
        try await house.prompt.perform("add", ["words": .list(["One", "+shop"])])
        try await house.prompt.perform("add", ["words": .list(["Two"])])
        try await house.prompt.perform("list", ["filter": .list(["+shop"])])
        let browser = try await Browser.letIn(to: house.site)
        let page = await browser.page("/list")
        #expect(page.contains(">One<") && !page.contains(">Two<"))

        _ = try await browser.post("/list/done", [("records", try await house.id(of: "One"))])
        let state = try #require(house.prompt.state(of: "list") as? ListScreen.State)
        #expect(state.rows.first?.values["status"] == .text("completed") && state.notice == "Done: “One”.")
    }

    @Test func `automatic requests of a browser change neither the prompt nor its numbers`() async throws {
        for title in ["One", "Two"] { try await house.prompt.perform("add", ["words": .list([title])]) }
        try await house.prompt.perform("list")
        let second = rows[1]
        let browser = try await Browser.letIn(to: house.site)
        #expect(await browser.page("/list?filter=all&offset=1").contains("2–2 of 2 records"))
        #expect(rows == ["One", "Two"] || rows == ["Two", "One"])
        try await house.prompt.perform("done", ["records": .list(["2"])])
        let state = try #require(house.prompt.state(of: "list") as? ListScreen.State)
        #expect(state.notice == "Done: “\(second)”.")
        #expect(house.prompt.path == ["list"])
    }

    @Test func `two browsers have separate notices`() async throws {
        let (one, two) = (try await Browser.letIn(to: house.site), try await Browser.letIn(to: house.site))
        _ = try await one.post("/list/add", [("words", "Only my notice")])
        #expect(await !two.page("/list").contains("Added task"))
        #expect(await one.page("/list").contains("Added task"))
    }

    @Test func `changes are sent to the open page, many at once`() async throws {
        let browser = try await Browser.letIn(to: house.site)
        _ = await browser.page("/list")
        let stream = try #require(await browser.get("/live?at=/list").stream)
        var pieces = stream.makeAsyncIterator()
        #expect(await pieces.next() == "retry: 2000\n\n")
        for number in 0..<50 { try await house.prompt.perform("add", ["words": .list(["Task \(number)"])]) }
        // On a slow machine, the comments that keep the stream alive come first.
        var piece = await pieces.next()
        while piece == ": here\n\n" { piece = await pieces.next() }
        #expect(piece == "event: change\ndata: \n\n")
        #expect(await browser.page("/list?live=1").contains("Task 49"))
    }

    @Test func `closing a session ends its streams`() async throws {
        let browser = try await Browser.letIn(to: house.site)
        let stream = try #require(await browser.get("/live?at=/list").stream)
        _ = try await browser.post("/leave", [])
        var last = ""
        for await piece in stream { last = piece }
        #expect(last == "event: end\ndata: \n\n")
    }
}
