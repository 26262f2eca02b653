import Backend
import ControllerKit
import Foundation
import LocalStore
import Locking
import Notebook
import Records
import struct Records.Record
import TestSupport
import Testing

@testable import Controllers

@MainActor
@Suite("Hooks that review edits", .timeLimit(.minutes(5)))
struct HookReviewerTests {
    /// A client whose hooks are functions.
    @MainActor
    private struct Reviewed {
        let services: Services
        let inputs = Locked<[[JSONObject]]>([])
        let messages = Locked<[String]>([])

        init(
            on event: HookEvent = .add, programs: [String] = ["hook"],
            _ answer: @escaping @Sendable (_ program: String, [JSONObject]) async -> HookResult
        ) throws {
            let (inputs, messages) = (inputs, messages)
            let review = ReviewPrograms(
                programs: { $0 == event ? programs : [] },
                run: { program, lines in
                    // A line that isn't JSON makes the test fail by its count.
                    let input = lines.compactMap { (try? JSONValue(parsing: $0))?.object }
                    inputs.withLock { $0.append(input) }
                    return await answer(program, input)
                },
                timeLimit: .seconds(30), report: { message in messages.withLock { $0.append(message) } },
                advice: "Type it again.")
            services = try Services.testing().running(
                Hooks(run: { _ in }, inspect: { (0, []) }, review: review))
        }

        var list: Presentation<ListScreen> { Presentation(ListController(services.notebook)) { Issue.record($0) } }
        var detail: Presentation<DetailScreen> {
            Presentation(DetailController(services.notebook)) { Issue.record($0) }
        }

        func records() async throws -> [Record] { try await services.store.read { try $0.records(in: ["tasks"]) } }
    }

    /// The output with one record, its fields changed.
    private nonisolated static func line(_ input: JSONObject, _ changes: JSONObject) -> String {
        var input = input
        input["fields"] = .object((input["fields"]?.object ?? [:]).applying(changes))
        return JSONValue.object(input).text
    }

    @Test("A hook that prints nothing approves the edit; other lines of its output are messages")
    func approving() async throws {
        let reviewed = try Reviewed { name, _ in HookResult(name, output: "Fine\nas it is\n") }
        try await reviewed.list.send(.add(["Milk", "+shop", "due:2030-01-02"], body: nil))
        #expect(try await reviewed.records().map(\.titleOrID) == ["Milk"])
        #expect(reviewed.messages.withLock { $0 } == ["hook: Fine\nhook: as it is"])
        let inputs = reviewed.inputs.withLock { $0 }
        #expect(inputs.count == 1)
        let input = try #require(inputs.first?.first)
        #expect(input["previous"] == JSONValue.null)
        #expect(input["deleted"] == false)
        #expect(input["fields"]?.object?["due"] == "2030-01-02")
        #expect(input["fields"]?.object?["tags"] == ["shop"])
    }

    @Test("A hook that fails refuses the edit, with its message and what to do")
    func refusing() async throws {
        let reviewed = try Reviewed { name, _ in
            HookResult(name, output: "A project is missing", failure: "ended with status 1")
        }
        let refusal = await failure { try await reviewed.list.send(.add(["Milk"], body: nil)) }
        #expect(refusal.category == .rejected)
        #expect(
            refusal.message == "The hook hook ended with status 1: A project is missing. Nothing was changed. "
                + "Type it again.")
        #expect(try await reviewed.records().isEmpty)
    }

    @Test("A printed record replaces the fields; each program receives the result of the one before")
    func changing() async throws {
        let reviewed = try Reviewed(programs: ["first", "second"]) { name, input in
            let changes: JSONObject = name == "first" ? ["priority": "H"] : ["project": "home", "due": .null]
            return HookResult(name, output: input.map { Self.line($0, changes) }.joined(separator: "\n"))
        }
        try await reviewed.list.send(.add(["Milk", "due:tomorrow"], body: nil))
        let record = try #require(try await reviewed.records().first)
        #expect(record.fields["priority"] == "H")
        #expect(record.fields["project"] == "home")
        #expect(record.fields["due"] == nil)
        let second = try #require(reviewed.inputs.withLock { $0.last?.first })
        #expect(second["fields"]?.object?["priority"] == "H")
    }

    @Test("A hook receives a time in UTC; a record that it prints with the same time keeps the time zone")
    func timeZone() async throws {
        let reviewed = try Reviewed { name, input in
            HookResult(name, output: input.map { Self.line($0, ["priority": "H"]) }.joined(separator: "\n"))
        }
        try await reviewed.list.send(.add(["Call", "due:2030-01-02T16:00:00Z[Europe/Berlin]"], body: nil))
        let input = try #require(reviewed.inputs.withLock { $0.first?.first })
        #expect(input["fields"]?.object?["due"] == "2030-01-02T16:00:00Z")
        let record = try #require(try await reviewed.records().first)
        #expect(record.fields["priority"] == "H")
        #expect(record.fields["due"] == "2030-01-02T16:00:00Z[Europe/Berlin]")
    }

    @Test("A command is one run with a line for each record, and all or nothing")
    func several() async throws {
        let reviewed = try Reviewed(on: .edit) { name, input in
            HookResult(name, failure: input.count == 3 ? "ended with status 1" : nil)
        }
        for title in ["A", "B", "C"] { try await reviewed.list.send(.add([title], body: nil)) }
        let ids = try await reviewed.records().map(\.key.id)
        let refusal = await failure { try await reviewed.list.send(.complete(ids)) }
        #expect(refusal.category == .rejected)
        #expect(reviewed.inputs.withLock { $0.map(\.count) } == [3])
        #expect(try await reviewed.records().allSatisfy { !TaskRecord.type.isClosed($0.fields) })
        try await reviewed.list.send(.complete(Array(ids.prefix(2))))
        #expect(try await reviewed.records().count(where: { TaskRecord.type.isClosed($0.fields) }) == 2)
    }

    @Test(
        "An answer that can't be used refuses the edit and names the fault",
        arguments: [
            (#"{"id": "#, "a line that begins with { and isn't JSON"), ("{}", "a record without an id"),
            (#"{"id": "nobody", "fields": {}}"#, "the record nobody, which the command doesn't change"),
        ])
    func unusable(output: String, reason: String) async throws {
        let reviewed = try Reviewed { name, _ in HookResult(name, output: output) }
        let refusal = await failure { try await reviewed.list.send(.add(["Milk"], body: nil)) }
        #expect(refusal.message.hasPrefix("The hook hook printed \(reason).") == true)
        #expect(try await reviewed.records().isEmpty)
    }

    @Test("An edited text that a hook refuses is the draft again, with the reason")
    func draft() async throws {
        let reviewed = try Reviewed(on: .edit) { name, _ in HookResult(name, failure: "ended with status 1") }
        try await reviewed.list.send(.add(["Milk"], body: nil))
        let id = try #require(try await reviewed.records().first?.key.id)
        let detail = reviewed.detail
        _ = await failure { try await detail.send(.edit(id, title: nil, body: nil, words: [])) }
        let text = try #require(detail.state.draft?.text)
        let edited = text.replacingOccurrences(of: "Milk", with: "Oat milk")
        let refusal = await failure {
            try await detail.send(.edit(id, title: nil, body: nil, words: [], text: edited))
        }
        #expect(refusal.category == .rejected)
        #expect(detail.state.draft?.text.contains("Oat milk") == true)
        #expect(detail.state.draft?.problem?.contains("The hook hook ended with status 1.") == true)
    }

    @Test("A wait for a hook is reported")
    func waiting() async throws {
        let (notices, feed) = AsyncStream.makeStream(of: String.self)
        let hooks = ReviewPrograms(
            programs: { $0 == .add ? ["/home/hooks/on-add"] : [] },
            run: { _, _ in
                // Ends when the notice has come.
                for await _ in notices { break }
                return HookResult("on-add")
            },
            timeLimit: .seconds(30),
            report: {
                feed.yield($0)
                feed.finish()
            },
            advice: "")
        let asked = Locked<[Duration]>([])
        let said = Locked<[String]>([])
        var reporting = hooks
        reporting.report = { message in
            said.withLock { $0.append(message) }
            hooks.report(message)
        }
        let reviewer = HookReviewer(
            reporting, types: .standard, sleep: { duration in asked.withLock { $0.append(duration) } })
        let edit = PlannedEdit(RecordKey(collection: "tasks", id: "aa"), before: nil, after: ["title": "Milk"])
        #expect(try await reviewer.review([edit]) == [edit])
        #expect(asked.withLock { $0 } == [.seconds(2)])
        #expect(said.withLock { $0 } == ["Waiting for the hook on-add (at most 30 s). Ctrl-C cancels the command."])
    }
}
