import ControllerKit
import Controllers
import Notebook
import Records
import TestSupport
import Testing

@MainActor
@Suite("References to records", .timeLimit(.minutes(5)))
struct NumbersTests {
    private static let everything = ListScreen.Intent.list(filter: ["all", "sort:entry"], limit: nil, offset: nil)

    private func filled() throws -> Home {
        let home = try Home()
        try home.put(["one": ["title": "One"], "two": ["title": "Two"], "three": ["title": "Three"]])
        return home
    }

    @Test("A number names the same record when others change, vanish or appear; new ones are added at the end")
    func stable() async throws {
        let home = try filled()
        let list = home.list()
        try await list.send(Self.everything)
        try home.delete("one")
        try home.put(["new": ["title": "New", "entry": "2020-01-01T00:00:00Z"]])
        try await list.send(.tag(["2", "+seen"]))
        #expect(list.state.changed == ["two"])
        #expect(list.state.rows.map(\.number) == [2, 3, 4])
        #expect(list.state.rows.map(\.id) == ["two", "three", "new"])
        #expect(list.state.total == 3)
        try await list.send(.complete(["4"]))
        #expect(list.state.changed == ["new"])
    }

    @Test("The number of a deleted record is reported as deleted and names no other record")
    func deleted() async throws {
        let home = try filled()
        let list = home.list()
        try await list.send(Self.everything)
        try home.delete("two")
        let error = await failure { try await list.send(.complete(["2"])) }
        #expect(error == Failure(.notFound, "Number 2 of the last list has been deleted since. Run `list` again."))
    }

    @Test("Numbers belong to a terminal and outlive the process; another terminal has its own")
    func terminals() async throws {
        let home = try filled()
        try await home.list().send(Self.everything)
        try await home.list().send(.complete(["3"]))
        #expect(try home.task("three")?["status"] == "completed")
        let elsewhere = try Services.testing(store: home.services.store, terminal: "elsewhere")
        let error = await failure {
            try await Presentation(ListController(elsewhere.notebook)) { _ in }.send(.complete(["1"]))
        }
        #expect(
            error
                == Failure(
                    .notFound,
                    "No record 1 in the last list on this terminal. Run `list`, or give the beginning of an id."))
    }

    @Test("Digits alone are never the beginning of an id, whatever the ids")
    func digits() async throws {
        let home = try Home()
        try home.put(["12abc": ["title": "Not meant"], "77": ["title": "All digits"]])
        let list = home.list()
        let error = await failure { try await list.send(.remove(["12"])) }
        #expect(error.category == .notFound)
        #expect(try home.titles() == ["Not meant", "All digits"])
        try await list.send(.complete(["77"]))
        #expect(list.state.changed == ["77"], "A full id of digits is an id.")
        try await list.send(.complete(["12ab"]))
        #expect(list.state.changed == ["12abc"])
    }

    @Test("A word shorter than all ids shown is the title of a record before it is the beginning of another's id")
    func shortTitle() async throws {
        let home = try Home()
        try home.put(["b2abcdef": ["title": "Not meant"], "c1": ["title": "B"]])
        let list = home.list()
        try await list.send(.complete(["b"]))
        #expect(list.state.changed == ["c1"])
        try await list.send(.complete(["b2ab"]))
        #expect(list.state.changed == ["b2abcdef"])
    }

    @Test("A word of hexadecimal letters that begins an id and is in another record's title names neither")
    func hexadecimalTitle() async throws {
        let home = try Home()
        try home.put(["feed1234": ["title": "Not meant"], "c1": ["title": "Feed the cat"]])
        let error = await failure { try await home.list().send(.complete(["feed"])) }
        #expect(error.category == .notFound)
        #expect(try home.task("feed1234")?["status"] != "completed")
    }

    @Test("Digits that begin with 0 are a number, too", arguments: ["0", "00", "0-1"])
    func zero(reference: String) async throws {
        let home = try Home()
        try home.put(["002c41e0-0000-4000-8000-000000000000": ["title": "Not named"]])
        let list = home.list()
        try await list.send(Self.everything)
        let reported = await failure { try await list.send(.remove([reference])) }
        #expect(reported.category == .notFound)
        #expect(list.state.rows.count == 1)
    }

    @Test("The beginning of an id names a record; the message for several matches lists them, that for none says so")
    func prefixes() async throws {
        let home = try Home()
        try home.put(["abcd-1": ["title": "First"], "abcd-2": ["title": "Second"], "abcd": ["title": "Whole"]])
        let list = home.list()
        try await list.send(.complete(["abcd-2"]))
        #expect(list.state.changed == ["abcd-2"])
        try await list.send(.complete(["ABCD-1"]))
        #expect(list.state.changed == ["abcd-1"])
        try await list.send(.complete(["abcd"]))
        #expect(list.state.changed == ["abcd"], "A full id matches only itself.")
        let several = await failure { try await list.send(.complete(["abcd-"])) }
        #expect(
            several == Failure(.notFound, "“abcd-” matches several records: abcd-1, abcd-2. Give more of the id."))
        let text = await failure { try await list.send(.complete(["abc"])) }
        #expect(text.message.hasPrefix("No matches for “abc”."), "Three characters are a text, not an id.")
        for unknown in ["zz", ""] {
            let none = await failure { try await home.detail().send(.show(unknown)) }
            #expect(none.category == .notFound)
            #expect(none.message.hasPrefix("No record matches “\(unknown)”."))
        }
    }

    @Test("A UUID is named by its beginning in letters, in digits and in full")
    func letters() async throws {
        let home = try Home()
        let id = "3f2a10c4-0000-4000-8000-000000000000"
        try home.put([id: ["title": "Paint"]])
        let detail = home.detail()
        for reference in ["wkxp", "WKXPY", "wkxpyznv", "3f2a", id] {
            try await detail.send(.show(reference))
            #expect(detail.state.record?.id == id, "\(reference)")
        }
        let list = home.list()
        try await list.send(Self.everything)
        #expect(list.state.rows.map(\.prefix) == ["wkxp"])
        try await list.send(.remove(["wkxp"]))
        let gone = await failure { try await detail.send(.show("wkxp")) }
        #expect(gone.category == .notFound)
    }

    @Test("Letters that are a short id and occur in another title are refused with the ids to choose from")
    func wordsAndIDs() async throws {
        let home = try Home()
        // In letters, the first id begins with `work`.
        try home.put([
            "3b8f0000-0000-4000-8000-000000000000": ["title": "Paint"],
            "11110000-0000-4000-8000-000000000000": ["title": "Go to work"],
        ])
        let list = home.list()
        let refused = await failure { try await list.send(.complete(["work"])) }
        #expect(refused.message == "“work” matches several records: workz, yyyy. Give more of the id.")
        try await list.send(.complete(["workz"]))
        #expect(list.state.changed == ["3b8f0000-0000-4000-8000-000000000000"])
    }

    @Test("A title of one word that is a short id, too, needs an option")
    func titleOrID() async throws {
        let home = try Home()
        try home.put(["3f2a10c4-0000-4000-8000-000000000000": ["title": "Paint"], "b": ["title": "Other"]])
        let asked = await failure {
            try await home.detail().send(.edit("b", title: nil, body: nil, words: ["wkxp", "priority:H"]))
        }
        #expect(asked.message.contains("edit b,wkxp priority:H"))
    }

    @Test(
        "Lists and ranges name several records, each once, in that order",
        arguments: [
            (["1-3"], ["one", "two", "three"]), (["1,3"], ["one", "three"]),
            (["3,1", "1-2"], ["three", "one", "two"]),
            (["two,1"], ["two", "one"]), (["2,"], ["two"]), (["2-2"], ["two"]),
        ])
    func severalNumbers(references: [String], ids: [String]) async throws {
        let list = try filled().list()
        try await list.send(Self.everything)
        try await list.send(.complete(references))
        #expect(list.state.changed == ids)
    }

    @Test(
        "A list or range with a part that names no record changes nothing; the message says what to type",
        arguments: [
            (["1-4"], "No record 4 in the last list on this terminal."),
            (["1,zz"], "No record matches “zz”."),
            (["3-1"], "“3-1” ends before it begins. Write 1-3"),
            (["1-999999"], "“1-999999” names more than 10000 records."),
        ])
    func wrongRanges(references: [String], message: String) async throws {
        let home = try filled()
        let list = home.list()
        try await list.send(Self.everything)
        let before = try home.everything()
        let refusal = await failure { try await list.send(.complete(references)) }
        #expect(refusal.message.hasPrefix(message))
        #expect(try home.everything() == before)
    }

    @Test("A command for one record refuses lists and ranges")
    func oneAtATime() async throws {
        let home = try filled()
        try await home.list().send(Self.everything)
        for reference in ["1,2", "1-2"] {
            await #expect(throws: NotebookError.severalReferences(reference, count: 2)) {
                try await home.services.notebook.key(of: reference)
            }
        }
    }

    @Test("Lists of two views on one controller never mix")
    func twoLists() async throws {
        let home = try filled()
        try home.put(["tagged": ["title": "Tagged", "tags": ["shop"]]])
        let list = home.list()
        async let first: Void = list.send(.list(filter: ["+shop"], limit: nil, offset: nil))
        async let second: Void = list.send(.list(filter: ["-shop"], limit: nil, offset: nil))
        _ = try await (first, second)
        let isFirst = list.state.filter == "+shop"
        #expect(Set(list.state.rows.map(\.id)) == (isFirst ? ["tagged"] : ["one", "two", "three"]))
        #expect(list.state.total == list.state.rows.count)
    }
}
