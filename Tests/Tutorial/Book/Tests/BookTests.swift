import Book
import ControllerKit
import Controllers
import Foundation
import FoundationNetworking
import Interchange
import JSONLinesView
import LineView
import MCPView
import Notebook
import Records
import SatchelScreens
import SyncEngine
import TestSupport
import Testing
import WebPageView

@MainActor
@Suite("Books, a record type that is declared in one file, in every front end", .timeLimit(.minutes(5)))
struct BookTests {
    private let server: InProcessServer

    init() throws { server = try InProcessServer() }

    /// The registration: a device whose program knows books besides Satchel's own types.
    private func device() async throws -> Services {
        try await Services.testing(on: server, types: .standard.adding(.book))
    }

    private static let dune = [
        "Dune", "authors:Frank Herbert", "format:paperback", "rating:5", "finished:2026-11-20",
    ]

    // MARK: - Lines

    /// A prompt over Satchel's screens.
    @MainActor
    private final class Prompt {
        private let terminal = ScriptedTerminal()
        private let session: LineSession

        init(_ services: Services) throws {
            session = try LineSession(.satchel(services), of: .satchel, terminal: terminal)
        }

        /// What a command prints: the answer, or the message if that is all.
        func say(_ words: String...) async -> String {
            let before = (terminal.data.count, terminal.messages.count)
            _ = await session.say(words)
            let data = String(terminal.data.dropFirst(before.0))
            return data.isEmpty ? String(terminal.messages.dropFirst(before.1)) : data
        }
    }

    @Test("`help fields` explains the fields of a book, derived from their declaration")
    func help() async throws {
        let services = try await device()
        let (catalog, terminal) = (try Catalog.satchel(services), ScriptedTerminal())
        let book = HelpBook(catalog, of: .satchel, topics: [.fields(of: services.notebook.types)])
        let session = try LineSession(catalog, of: .satchel, terminal: terminal, book: book)
        #expect(await session.say(["help", "fields"]) == .ok)
        #expect(terminal.data.contains("format:hardcover") && terminal.data.contains("hardcover, paperback, ebook"))
        #expect(terminal.data.contains("rating:4") && terminal.data.contains("1 to 5"))
    }

    @Test(
        "At the prompt a book is added, listed with its columns, filtered, sorted, searched, shown, edited and undone")
    func lines() async throws {
        let services = try await device()
        let prompt = try Prompt(services)
        #expect(await prompt.say("add", "--type", "book", "Emma", "format:ebook", "rating:3").contains("Added book"))
        #expect(try await services.notebook.add(Self.dune, to: .book).title == "Dune")
        #expect(await prompt.say("add", "Buy milk", "due:tomorrow").contains("Added task"))

        let list = await prompt.say("list", "book", "sort:-rating").split(separator: "\n").map(String.init)
        let heading = try #require(list.first)
        let columns = heading.split(separator: " ").map(String.init)
        #expect(columns == ["#", "id", "format", "rating", "title", "authors", "finished"])
        #expect(list[1].contains("paperback") && list[1].contains("5") && list[1].contains("Frank Herbert"))
        #expect(list[2].contains("Emma"))
        #expect(await prompt.say("list", "task", "or", "book").contains("Books (2)"))

        #expect(await prompt.say("list", "rating>4", "--plain").hasPrefix("1\t"))
        let filtered = await prompt.say("list", "format:ebook", "--plain")
        #expect(filtered.hasSuffix("\tEmma\t\tebook\t3\t\t\n"))
        #expect(await prompt.say("list", "authors:frank herbert").contains("Dune"))
        #expect(await prompt.say("list", "format:scroll").contains("format:hardcover, format:paperback"))
        #expect(await prompt.say("search", "herbert").contains("Dune"))

        #expect(await prompt.say("edit", "1", "rating:4", "review:Sand.").contains("Changed “Dune”"))
        let shown = await prompt.say("show", "1").split(separator: "\n").map(String.init)
        #expect(shown.first == "Dune" && shown.last == "Sand.")
        #expect(shown.contains { $0.hasPrefix("rating") && $0.hasSuffix(" 4") })
        #expect(shown.contains { $0.hasPrefix("added") })
        #expect(await prompt.say("done", "1").contains("“Dune” is a book; only tasks can be done."))

        // An operation of one's own.
        _ = try await services.notebook.edit(["1"], command: "praise") { book in
            [.set(.rating, min((book[.rating] ?? 0) + 1, 5))]
        }
        #expect(await prompt.say("undo").contains("Undid `praise`: “Dune”."))

        #expect(await prompt.say("sync").isEmpty == false)
        #expect(await prompt.say("history", "1").contains("rating: 4"))
        #expect(await prompt.say("undo").contains("Undid `edit`: “Dune”."))
        #expect(await prompt.say("show", "1").contains("rating    5"))
    }

    // MARK: - JSON lines

    /// What programs receive for requests, one after the other.
    private func answers(_ services: Services, _ requests: JSONValue...) async throws -> [JSONObject] {
        var written: [String] = []
        let session = JSONLinesSession(try .satchel(services), version: "1") { written.append($0) }
        try await session.run(
            AsyncStream { stream in
                for request in requests { stream.yield(Array((request.text + "\n").utf8)) }
                stream.finish()
            })
        return try written.compactMap { try JSONValue(parsing: $0).object }
    }

    @Test("In JSON lines a row has the book's fields by name")
    func jsonLines() async throws {
        let services = try await device()
        let answers = try await answers(
            services,
            [
                "id": 1, "verb": "add",
                "arguments": ["words": .array(Self.dune.map(JSONValue.string)), "type": "book"],
            ], ["id": 2, "verb": "list", "arguments": ["filter": ["book"]]])
        let state = try #require(answers.last { $0["id"] == 2 && $0["type"] == "state" }?["state"]?.object)
        let row = try #require(state["rows"]?.array?.first?.object)
        #expect(row["title"] == "Dune" && row["collection"] == "books")
        #expect(row["authors"] == ["Frank Herbert"] && row["format"] == "paperback" && row["rating"] == 5)
        #expect(row["finished"] == "2026-11-20T00:00:00Z" && row["finishedWords"] != nil)
        #expect(row["project"] == nil && row["isDone"] == nil && row["mark"] == "book" && row["group"] == "books")
    }

    // MARK: - MCP

    @Test("An assistant adds a book, and reads its fields")
    func assistant() async throws {
        let services = try await device()
        let hello: JSONValue = [
            "jsonrpc": "2.0", "id": 0, "method": "initialize",
            "params": [
                "protocolVersion": "2025-11-25", "capabilities": [:], "clientInfo": ["name": "test", "version": "1"],
            ],
        ]
        let call = { (id: Int64, name: JSONValue, arguments: JSONValue) -> JSONValue in
            [
                "jsonrpc": "2.0", "id": .integer(id), "method": "tools/call",
                "params": ["name": name, "arguments": arguments],
            ]
        }
        // Calls run side by side: a session for each.
        let add = call(1, "add", ["words": .array(Self.dune.map(JSONValue.string)), "type": "book"])
        let added = try await result(services, hello, add)
        #expect(added?["notice"]?.string?.hasPrefix("Added book") == true)
        let listed = try await result(services, hello, call(1, "list", ["filter": ["book"]]))
        let row = try #require(listed?["rows"]?.array?.first?.object)
        #expect(row["authors"] == ["Frank Herbert"] && row["rating"] == 5)
    }

    /// What the call among these messages returns.
    private func result(_ services: Services, _ messages: JSONValue...) async throws -> JSONObject? {
        var written: [String] = []
        let input = AsyncThrowingStream<[UInt8], any Error> { stream in
            for message in messages { stream.yield(Array((message.text + "\n").utf8)) }
            stream.finish()
        }
        let session = try MCPSession(
            .satchel(services), of: .satchel, granting: [ToolGrant("list", page: "limit"), ToolGrant("add")],
            mayWrite: true, input: input, acting: { _, body in try await body() }, subjects: { _, _ in [] }
        ) { written.append($0) }
        _ = try await session.run([])
        let answers = try written.compactMap { try JSONValue(parsing: $0).object }
        let answer = answers.first { $0["id"] == 1 }?["result"]?.object
        return answer?["structuredContent"]?.object?["result"]?.object
    }

    // MARK: - Page

    /// A browser with one page of a program.
    @MainActor
    private struct Browser {
        let page: WebPage
        let base: URL
        private let session = URLSession(configuration: .ephemeral)

        init(_ services: Services) async throws {
            page = try WebPage(.satchel(services), design: .satchel) { Issue.record($0) }
            try await page.start(port: 0)
            let link = try #require(URL(string: try page.link()))
            base = try #require(URL(string: "/", relativeTo: link)?.absoluteURL)
            _ = try await session.data(from: link)
        }

        func get(_ address: String) async throws -> String {
            let url = try #require(URL(string: address, relativeTo: base))
            return String(decoding: try await session.data(from: url).0, as: UTF8.self)
        }

        /// Sends a form of a page with what a person changes in it, and returns the page that comes.
        func submit(_ form: String, at address: String, _ changes: [String: String]) async throws -> String {
            let page = try await get(address)
            let start = try #require(page.range(of: "id=\"\(form)\""))
            let opening = try #require(page[..<start.lowerBound].range(of: "<form", options: .backwards))
            let end = try #require(page[opening.lowerBound...].range(of: "</form>"))
            let text = page[opening.lowerBound..<end.lowerBound]
            let action = try #require(text.firstMatch(of: /action="([^"]+)"/)?.1)
            var fields = changes
            for field in text.matches(of: /type="(?:hidden|text|number)"[^>]* name="([^"]+)" value="([^"]*)"/) {
                if fields[String(field.1)] == nil { fields[String(field.1)] = String(field.2) }
            }
            var request = URLRequest(url: try #require(URL(string: String(action), relativeTo: base)))
            request.httpMethod = "POST"
            request.setValue(base.absoluteString.dropLast().description, forHTTPHeaderField: "Origin")
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(Parameters(fields.map { ($0.key, $0.value) }).encoded.utf8)
            return String(decoding: try await session.data(for: request).0, as: UTF8.self)
        }
    }

    @Test("On the page a book has an input for each field, to be added and to be edited, and chips in the list")
    func page() async throws {
        let services = try await device()
        let browser = try await Browser(services)
        let list = try await browser.get("/list")
        #expect(list.contains("Add a book"))
        for input in ["words.title", "words.authors", "words.format", "words.rating", "words.finished", "words.review"]
        {
            #expect(list.contains("name=\"\(input)\""))
        }
        #expect(list.contains("<option value=\"paperback\">Paperback</option>"))
        let added = try await browser.submit(
            "form-add-book", at: "/list",
            [
                "words.title": "Dune", "words.authors": "Frank Herbert, Someone Else", "words.format": "paperback",
                "words.rating": "4.5", "words.finished": "2026-11-20", "words.review": "Sand.\nMore sand.",
            ])
        #expect(added.contains("Added book"))
        let rows = try await browser.get("/list?filter=book")
        for chip in [">Paperback<", ">Rating: 4.5<", ">Frank Herbert<", ">Someone Else<"] {
            #expect(rows.contains(chip))
        }
        let book = try #require(try await services.notebook.list(["book"]).rows.first?.record)
        #expect(book[.review] == "Sand.\nMore sand." && book[.rating] == 4.5)

        let address = "/detail?record=\(book.key.id)"
        let detail = try await browser.get(address)
        #expect(detail.contains("<p class=\"kind\">Book</p>") && detail.contains("Sand.\nMore sand."))
        #expect(detail.contains("<option value=\"paperback\" selected>"))
        let edited = try await browser.submit(
            "form-edit", at: address, ["words.format": "audiobook", "words.review": "Sand.\nMore sand."])
        #expect(edited.contains("Changed “Dune”"))
        let now = try #require(try await services.notebook.list(["book"]).rows.first?.record)
        #expect(now[.format] == .audiobook && now[.authors] == ["Frank Herbert", "Someone Else"])
        #expect(now.fields.applying(["format": "paperback"]) == book.fields)
        await browser.page.stop()
    }

    // MARK: - Two devices

    @Test("Authors of two devices are united and reviews merged; two ratings are a conflict that is resolved")
    func twoDevices() async throws {
        let (laptop, phone) = (try await device(), try await device())
        let key = try await laptop.notebook.add(Self.dune, to: .book, body: "one\ntwo\nthree\n").key
        for device in [laptop, phone] { _ = try await device.engine.sync() }
        server.clock.advance(by: .seconds(60))
        _ = try await laptop.notebook.edit(
            key.id, ["authors:Frank Herbert,A", "rating:4"], body: "ONE\ntwo\nthree\n")
        server.clock.advance(by: .seconds(60))
        _ = try await phone.notebook.edit(key.id, ["authors:Frank Herbert,B", "rating:3"], body: "one\ntwo\nTHREE\n")
        for device in [laptop, phone, laptop] { _ = try await device.engine.sync() }

        for device in [laptop, phone] {
            let book = try #require(try await device.notebook.localRecord(key)).record
            #expect(Set(book[.authors] ?? []) == ["Frank Herbert", "A", "B"])
            #expect(book[.review] == "ONE\ntwo\nTHREE\n" && book[.rating] == 3)
            let conflicts = try await device.notebook.conflicts()
            #expect(conflicts.rows.map(\.title) == ["Dune"])
            #expect(conflicts.rows.map(\.conflict.conflict.field) == ["rating"])
        }
        _ = try await laptop.notebook.resolve("1", .earlier)
        for device in [laptop, phone] { _ = try await device.engine.sync() }
        #expect(try await phone.notebook.localRecord(key)?.record[.rating] == 4)
        #expect(try await phone.notebook.conflicts().total == 0)
    }

    @Test("An edit of a book that was shown before a sync keeps what the sync received; two ratings are a conflict")
    func form() async throws {
        let (laptop, phone) = (try await device(), try await device())
        let key = try await laptop.notebook.add(Self.dune, to: .book).key
        for device in [laptop, phone] { _ = try await device.engine.sync() }
        let shown = try #require(try await laptop.notebook.localRecord(key)).record
        server.clock.advance(by: .seconds(60))
        _ = try await phone.notebook.edit(key.id, ["format:ebook", "rating:3"])
        for device in [phone, laptop] { _ = try await device.engine.sync() }
        server.clock.advance(by: .seconds(60))

        let edited = try await laptop.notebook.edit([.set(.review, "Sand."), .set(.rating, 4)], seen: shown)
        #expect(edited.outcome == .merged(conflicts: ["rating"]))
        #expect(edited.record[.format] == .ebook)
        #expect(edited.record[.review] == "Sand.")
        #expect(edited.record[.rating] == 4)
        #expect(try await laptop.notebook.conflicts().rows.map(\.conflict.conflict.field) == ["rating"])

        let invalid = FieldChanges(json: ["rating": "four"])
        await #expect(throws: InvalidField.self) { try await laptop.notebook.edit(invalid, seen: shown) }
    }

    @Test("A program that doesn't declare books receives none of them, and shows none of their conflicts")
    func undeclared() async throws {
        let (laptop, phone) = (try await device(), try await device())
        let key = try await laptop.notebook.add(Self.dune, to: .book).key
        for device in [laptop, phone] { _ = try await device.engine.sync() }
        _ = try await laptop.notebook.edit(key.id, ["rating:4"])
        _ = try await phone.notebook.edit(key.id, ["rating:3"])
        for device in [laptop, phone] { _ = try await device.engine.sync() }

        let other = try await Services.testing(on: server)
        let task = try await other.notebook.add(["Buy", "milk"], to: TaskRecord.type).key
        #expect(try await other.engine.sync().fullReads == [.first])
        #expect(try await other.notebook.list(["all"]).total == 1)
        #expect(try await other.notebook.search(["dune"]).total == 0)
        #expect(try await other.notebook.conflicts().total == 0)
        await #expect(throws: NotebookError.unknownID(key.id)) { try await other.notebook.key(of: key.id) }
        #expect(try await !other.notebook.exporting(to: .satchel).document.text.contains("Dune"))
        // The digest of its collections is the server's, and other programs receive what it sends.
        #expect(try await other.engine.sync().fullReads == [])
        _ = try await laptop.engine.sync()
        #expect(try await laptop.notebook.localRecord(task) != nil)
    }

    @Test("Books that an import brings to a program that doesn't declare them are sent, and received from then on")
    func importedUndeclared() async throws {
        let (laptop, other) = (try await device(), try await Services.testing(on: server))
        for device in [laptop, other] { _ = try await device.engine.sync() }
        _ = try await laptop.notebook.add(Self.dune, to: .book)
        let exported = try await laptop.notebook.exporting(to: .satchel).document.text
        _ = try await other.notebook.importing(exported, as: .satchel)
        #expect(try await other.engine.sync().fullReads == [.resync(.additionalCollections)])
        #expect(try await other.engine.sync().fullReads == [])
        _ = try await laptop.engine.sync()
        #expect(try await laptop.notebook.list(["book", "all"]).total == 1)
        #expect(try await other.notebook.exporting(to: .satchel).document.text.contains("Dune"))
    }

    @Test("The schema of a list names the book's fields, by their kinds")
    func schema() async throws {
        let catalog = try Catalog.standard(try await device())
        let schema = try JSONEncoder().encode(catalog.stateSchema(of: ListScreen.name))
        let text = String(decoding: schema, as: UTF8.self)
        for field in ["authors", "format", "rating", "finished", "finishedWords"] {
            #expect(text.contains("\"\(field)\""), "\(field)")
        }
    }

    // MARK: - Files

    @Test(
        "Books are exported and imported with all their fields", arguments: [ExchangeFormat.satchel, .csv, .markdown])
    func files(format: ExchangeFormat) async throws {
        let (laptop, other) = (try await device(), try await Services.testing(types: .standard.adding(.book)))
        let words = Self.dune + ["authors:Frank Herbert,\"B\", C"]
        let key = try await laptop.notebook.add(words, to: .book, body: "one\n\ntwo").key
        let exported = try await laptop.notebook.exporting(to: format)
        #expect(exported.document.count == 1 && exported.document.omissions.isEmpty)
        #expect(try await other.notebook.importing(exported.document.text, as: format).created == 1)
        let (before, after) = (
            try await laptop.notebook.localRecord(key)?.record.fields,
            try await other.notebook.localRecord(key)?.record.fields
        )
        #expect(after?.applying([Record.importMarkField: .null]) == before)
        #expect(try await laptop.notebook.importing(exported.document.text, as: format).unchanged == 1)
    }
}
