import ControllerKit
import Controllers
import LocalStore
import Records
import TestSupport
import Testing

@MainActor
@Suite("Saved filters", .timeLimit(.minutes(5)))
struct SavedListsTests {
    private func filled() throws -> Home {
        let home = try Home()
        try home.put([
            "milk": ["title": "Buy milk", "tags": ["shop"], "priority": "H"],
            "nails": ["title": "Buy nails", "tags": ["shop"], "project": "house"],
            "paint": ["title": "Paint", "project": "house"],
        ])
        return home
    }

    private func lists(_ home: Home) -> Presentation<SavedListsScreen> {
        Presentation(SavedListsController(home.services.notebook)) { Issue.record($0) }
    }

    private func shown(_ home: Home, _ filter: String...) async throws -> [String] {
        let list = home.list()
        try await list.send(.list(filter: filter, limit: nil, offset: nil))
        return list.state.rows.map(\.id)
    }

    @Test("A filter is saved under a name, shown, used alone and with other words, and removed")
    func life() async throws {
        let home = try filled()
        let lists = lists(home)
        try await lists.send(.save(name: "shopping", filter: ["+shop", "not:due:next friday"]))
        #expect(lists.state.notice == "Saved: `list @shopping` shows +shop not:\"due:next friday\"")
        try await lists.send(.save(name: "@at-home", filter: ["project:house"]))
        #expect(lists.state.lists.map(\.name) == ["at-home", "shopping"])
        #expect(lists.state.lists.map(\.words) == [["project:house"], ["+shop", "not:due:next friday"]])
        try await lists.send(.save(name: "shopping", filter: ["+shop"]))
        #expect(
            lists.state.notice
                == "Saved: `list @shopping` shows +shop (before: +shop not:\"due:next friday\")")
        #expect(try await shown(home, "@shopping") == ["milk", "nails"])
        #expect(try await shown(home, "@SHOPPING", "priority:H") == ["milk"])
        #expect(try await shown(home, "@shopping", "@at-home") == ["nails"])
        try await lists.send(.forget(["shopping"]))
        #expect(lists.state.lists.map(\.name) == ["at-home"])
        let error = await failure { _ = try await shown(home, "@shopping") }
        #expect(error.category == .notFound && error.message.hasPrefix("No saved filter “@shopping”."))
    }

    @Test("Words of a list after -- are searched for literally; other words next to the list keep their meaning")
    func texts() async throws {
        let home = try filled()
        try home.put(["sign": ["title": "Explain +shop signs", "priority": "H"]])
        let lists = lists(home)
        try await lists.send(.save(name: "signs", filter: ["--", "+shop"]))
        #expect(lists.state.notice == "Saved: `list @signs` shows -- +shop")
        #expect(try await shown(home, "@signs") == ["sign"])
        #expect(try await shown(home, "@signs", "priority:H") == ["sign"])
        #expect(try await shown(home, "@signs", "priority:L") == [])
        #expect(try await shown(home, "priority:H", "--", "@signs") == [])
    }

    @Test("A list is used in parentheses, with or, and negated; its own words stay together")
    func combined() async throws {
        let home = try filled()
        try await lists(home).send(.save(name: "either", filter: ["priority:H", "or", "project:house"]))
        try await lists(home).send(.save(name: "signs", filter: ["+shop", "--", "milk"]))
        #expect(try await shown(home, "@either").sorted() == ["milk", "nails", "paint"])
        #expect(try await shown(home, "+shop", "@either").sorted() == ["milk", "nails"])
        #expect(try await shown(home, "not:@signs").sorted() == ["nails", "paint"])
        #expect(try await shown(home, "-@signs", "+shop") == ["nails"])
        #expect(try await shown(home, "(@signs", "or", "paint)").sorted() == ["milk", "paint"])
        #expect(try await shown(home, "not", "(", "@signs", "or", "paint", ")") == ["nails"])
        #expect(await failure { _ = try await shown(home, "(@none)") }.category == .notFound)
    }

    @Test("A search excludes the records of a saved filter")
    func excluded() async throws {
        let home = try filled()
        try await lists(home).send(.save(name: "house", filter: ["project:house"]))
        let list = home.list()
        try await list.send(.search(["buy", "-@house"], limit: nil))
        #expect(list.state.rows.map(\.id) == ["milk"])
    }

    @Test("A list may refer to another one, never to itself")
    func nested() async throws {
        let home = try filled()
        let lists = lists(home)
        try await lists.send(.save(name: "shopping", filter: ["+shop"]))
        try await lists.send(.save(name: "urgent", filter: ["@shopping", "priority:H"]))
        #expect(try await shown(home, "@urgent") == ["milk"])
        let error = await failure { try await lists.send(.save(name: "Shopping", filter: ["@urgent"])) }
        #expect(error == Failure(.usage, "The saved filter “@shopping” would contain itself. Leave it out."))
        #expect(try await shown(home, "@shopping") == ["milk", "nails"])
    }

    @Test(
        "A filter that could never be used is refused when it is saved, and nothing is stored",
        arguments: [
            ("1st", ["+shop"], "Invalid name"), ("two words", ["x"], "Invalid name"), ("", ["x"], "Invalid name"),
            ("x", ["porject:y"], "project"), ("x", ["@none"], "No saved filter"), ("x", ["due<tomorow"], "tomorrow"),
        ])
    func refused(name: String, filter: [String], hint: String) async throws {
        let lists = lists(try filled())
        let error = await failure { try await lists.send(.save(name: name, filter: filter)) }
        #expect(error.message.contains(hint))
        #expect(lists.state.lists.isEmpty)
    }

    @Test("A wrong name is reported with the nearest one; removing several is all or nothing")
    func wrongName() async throws {
        let home = try filled()
        let lists = lists(home)
        try await lists.send(.save(name: "shopping", filter: ["+shop"]))
        let error = await failure { try await lists.send(.forget(["shopping", "shoping"])) }
        #expect(error.category == .notFound && error.message.contains("Did you mean “@shopping”?"))
        #expect(lists.state.lists.map(\.name) == ["shopping"])
    }

    @Test("Saving and removing can be undone; a list is neither found, listed nor named like a record")
    func house() async throws {
        let home = try filled()
        let lists = lists(home)
        try await lists.send(.save(name: "shopping", filter: ["+shop", "word"]))
        #expect(try await shown(home, "all").count == 3)
        let list = home.list()
        try await list.send(.search(["shopping"], limit: nil))
        #expect(list.state.rows.isEmpty)
        let id = SavedList.key("shopping").id
        #expect(await failure { try await list.send(.remove([id])) }.category == .notFound)
        try await lists.send(.forget(["shopping"]))
        try await home.undo().send(.undo)
        try await lists.send(.show)
        #expect(lists.state.lists.map(\.name) == ["shopping"])
    }

    @Test("A search narrowed by a list uses the list's words as its filter")
    func searched() async throws {
        let home = try filled()
        try await lists(home).send(.save(name: "shopping", filter: ["+shop", "task"]))
        let list = home.list()
        try await list.send(.search(["buy", "@shopping", "-project:house"], limit: nil))
        #expect(list.state.rows.map(\.id) == ["milk"])
    }

    @Test("They are completed by the beginnings of their names, with their filters")
    func offers() async throws {
        let home = try filled()
        try await lists(home).send(.save(name: "Shopping", filter: ["+shop", "due<eow"]))
        #expect(
            await RecordCompletions(home.services.notebook).completions(of: .lists, beginning: "sh") == [
                Completion("Shopping", note: "+shop due<eow")
            ])
        #expect(await RecordCompletions(home.services.notebook).completions(of: .lists, beginning: "x") == [])
    }

    @Test("Two devices that save two filters under one name edit one record; the conflict shows both")
    func conflict() async throws {
        let account = try SharedAccount()
        let (laptop, desktop) = (try await account.device().register(), try await account.device().logIn())
        for (device, tag, seconds) in [(laptop, "+shop", 1), (desktop, "+buy", 2)] {
            let lists = Presentation(SavedListsController(device.services.notebook)) { Issue.record($0) }
            device.clock.advance(by: .seconds(seconds))
            try await lists.send(.save(name: "shopping", filter: [tag]))
        }
        for device in [laptop, desktop, laptop] { try await device.sync() }
        let saved = try [laptop, desktop].map { device in
            try device.services.store.readNow { try $0.records(in: ["lists"]) }.map(\.fields)
        }
        #expect(saved[0] == saved[1] && saved[0].count == 1)
        let conflicts = Presentation(ConflictsController(laptop.services.notebook, devices: laptop.services.devices)) {
            Issue.record($0)
        }
        try await conflicts.send(.list(resolved: false))
        #expect(conflicts.state.rows.map(\.field) == ["filter"])
        #expect(conflicts.state.rows.first?.title == "shopping")
        try await conflicts.send(.resolve("1", .earlier, value: nil, revive: false))
        let list = try laptop.services.store.readNow { try $0.records(in: ["lists"]) }
        #expect(list.first.flatMap { SavedList(fields: $0.fields) }?.words == ["+shop"])
    }
}
