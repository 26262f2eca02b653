import ControllerKit
import Controllers
import LocalStore
import Records
import TestSupport
import Testing

@MainActor
@Suite("Completions of a word", .timeLimit(.minutes(5)))
struct OffersTests {
    private func filled() throws -> Home {
        let home = try Home()
        try home.put([
            "aaaa": ["title": "Buy milk", "tags": ["shop", "soon"], "project": "home"],
            "aabb": ["title": "Paint", "tags": ["soon"], "project": "Big house"],
            "bbbb": ["title": "Büy bread", "tags": ["soap's"]],
        ])
        return home
    }

    private func texts(_ completion: CompletionKind, _ beginning: String) async throws -> [String] {
        try await RecordCompletions(filled().services.notebook).completions(of: completion, beginning: beginning)
            .map(\.text)
    }

    @Test("Tags and projects in use are offered, the most used first")
    func inUse() async throws {
        #expect(try await texts(.tags, "") == ["soon", "shop", "soap's"])
        #expect(try await texts(.tags, "so") == ["soon", "soap's"])
        #expect(try await texts(.texts(in: "project"), "Big h") == ["Big house"])
        #expect(try await texts(.tags, "'; DROP") == [])
    }

    @Test(
        "The words of a filter are offered where filters are typed, not where records are",
        arguments: [
            ("o", ["or", "overdue"]), ("an", ["and"]), ("to", ["today", "tomorrow"]), ("has", ["has:"]),
            ("has:b", ["has:body"]), ("has:c", ["has:conflict"]), ("lim", ["limit:"]),
            ("p", ["pending", "project:", "priority:", "partof:", "pinned:"]), ("bl", ["blocked", "blocking"]),
            ("project:B", ["project:Big house"]), ("+so", ["+soon", "+soap's"]), ("", []),
        ])
    func filterWords(beginning: String, expected: [String]) async throws {
        #expect(try await texts(.filter, beginning) == expected)
        let isOfRecords = expected.allSatisfy { $0.hasPrefix("+") || $0.hasPrefix("project:") }
        #expect(try await (texts(.words, beginning) == expected) == isOfRecords)
    }

    @Test("Deleted ones are not in use")
    func deleted() async throws {
        let home = try filled()
        try await home.list().send(.remove(["aabb"]))
        let names = await RecordCompletions(home.services.notebook).completions(
            of: .texts(in: "project"), beginning: "")
        #expect(names.map(\.text) == ["home"])
    }

    @Test("A record is offered by the beginning of its id or the words of its title, ignoring accents")
    func records() async throws {
        let home = try filled()
        #expect(
            await RecordCompletions(home.services.notebook).completions(of: .records, beginning: "aa") == [
                Completion("aaaa", note: "Buy milk"), Completion("aabb", note: "Paint"),
            ])
        #expect(
            Set(await RecordCompletions(home.services.notebook).completions(of: .records, beginning: "buy").map(\.text))
                == ["aaaa", "bbbb"])
        #expect(await RecordCompletions(home.services.notebook).completions(of: .records, beginning: "nothing") == [])
    }

    @Test("A record that is found by its title has the title, unless it isn't unique or could be something else")
    func titles() async throws {
        let home = try filled()
        try home.put(["cccc": ["title": "Call Bob"], "dddd": ["title": "Call Bob"], "eeee": ["title": "Zoe: a film"]])
        let completions = RecordCompletions(home.services.notebook)
        #expect(
            await completions.completions(of: .records, beginning: "milk") == [
                Completion("aaaa", note: "Buy milk", title: "Buy milk")
            ])
        #expect(await completions.completions(of: .records, beginning: "bob").map(\.title) == [nil, nil])
        #expect(await completions.completions(of: .records, beginning: "film").map(\.title) == [nil])
        #expect(await completions.completions(of: .records, beginning: "paint").map(\.title) == [nil], "one word")
    }

    @Test(
        "The keys of an order and the dates of a comparison are offered",
        arguments: [
            ("sort:urg", ["sort:urgency"]), ("sort:-du", ["sort:-due"]), ("sort:due,pri", ["sort:due,priority"]),
            ("sort:x", []), ("due<=eo", ["due<=eod", "due<=eow", "due<=eom", "due<=eoq", "due<=eoy"]),
            ("due>tom", ["due>tomorrow"]),
        ])
    func orders(beginning: String, expected: [String]) async throws {
        #expect(try await texts(.filter, beginning) == expected)
    }

    @Test("For an empty word, the records of this terminal's last list are offered in its order")
    func listed() async throws {
        let home = try filled()
        #expect(await RecordCompletions(home.services.notebook).completions(of: .records, beginning: "") == [])
        try await home.list().send(.list(filter: ["+soon"], limit: nil, offset: nil))
        #expect(
            Set(await RecordCompletions(home.services.notebook).completions(of: .records, beginning: "").map(\.text))
                == ["aaaa", "aabb"])
    }

    @Test("Where records are selected, records and the words of a filter are offered")
    func selections() async throws {
        let completions = RecordCompletions(try filled().services.notebook)
        for kind in [CompletionKind.selection, .recordsAndTags] {
            #expect(await completions.completions(of: kind, beginning: "aaaa").map(\.text) == ["aaaa"])
            #expect(await completions.completions(of: kind, beginning: "proj").map(\.text) == ["project:"])
            let tags = await completions.completions(of: kind, beginning: "+")
            #expect(!tags.isEmpty && tags.allSatisfy { $0.text.hasPrefix("+") })
        }
    }
}
