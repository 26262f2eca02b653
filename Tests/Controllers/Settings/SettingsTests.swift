import ControllerKit
import Controllers
import Foundation
import Notebook
import Records
import TestSupport
import Testing

@MainActor
@Suite("Settings", .timeLimit(.minutes(5)))
struct SettingsTests {
    private func loaded(_ lines: [([String], SettingValue)]) -> LoadedSettings {
        var settings = LoadedSettings()
        for (index, line) in lines.enumerated() {
            settings.apply(line.1, at: line.0, from: .file("c.toml", line: index + 1))
        }
        return settings
    }

    private let dates = DateExpression.Context(
        now: Date(timeIntervalSince1970: 0), calendar: LocalTime.calendar(in: .gmt))

    @Test("A default list that isn't a filter is refused with its place, before a list is shown")
    func defaultList() {
        var settings = loaded([(["default-list"], .text("due:xx"))])
        settings.check(for: .standard, dates)
        #expect(settings.errors.map(\.description).first?.hasPrefix("c.toml:1: default-list isn't a filter: ") == true)
        #expect(settings.values.defaultList == [])
        settings = loaded([(["default-list"], .text("@home or +shop sort:due"))])
        settings.check(for: .standard, dates)
        #expect(settings.errors.isEmpty)
    }

    @Test("Each setting is applied and has the place of its value")
    func applied() throws {
        let settings = loaded([
            (["aliases", "urgent"], .text("list \"a b\"")), (["default-list"], .text("+shop sort:due")),
            (["columns"], .list([.text("due"), .text("title")])), (["theme"], .text("none")),
            (["week-start"], .text("sunday")), (["date-style"], .text("iso")), (["confirm-above"], .text("never")),
            (["title-dates"], .text("use")), (["credential-command"], .text("satchel-pass \"a b\"")),
        ])
        #expect(settings.errors.isEmpty)
        #expect(settings.values.aliases == ["urgent": ["list", "a b"]])
        #expect(settings.values.defaultList == ["+shop", "sort:due"])
        #expect(settings.values.columns == ["due", "title"])
        #expect(settings.values.theme == .none)
        #expect(settings.values.weekStart.weekday == 1)
        #expect(settings.values.dateStyle == .iso)
        #expect(settings.values.confirmationLimit == nil)
        #expect(settings.values.titleDates == .use)
        #expect(settings.values.credentialCommand == ["satchel-pass", "a b"])
        let origins = Setting.all.map { settings.origin(of: $0) }
        #expect(origins == (1...9).map { .file("c.toml", line: $0) })
    }

    @Test(
        "A value that can't be used is an error with its place and the reason, and the default stays",
        arguments: [
            (
                ["credential-command"], SettingValue.text("bin/helper"),
                "c.toml:1: credential-command must begin with the name of a program in PATH or with an absolute path"
            ),
            (["week-start"], SettingValue.text("noday"), "c.toml:1: week-start must be auto, monday"),
            (["weekstart"], .text("monday"), "c.toml:1: unknown setting “weekstart”. Did you mean “week-start”?"),
            (["confirm-above"], .number(10_001), "c.toml:1: confirm-above must be a number from 0 to 10000"),
            (["confirm-above"], .flag(true), "not true."), (["aliases"], .text("x"), "“aliases” must be a table"),
            (["theme", "x"], .text("dark"), "“theme” must be auto, light, dark, neutral, basic or none"),
            (["aliases", "a b"], .text("list"), "one word"), (["aliases", "a"], .text(" "), "is empty"),
            (["aliases", "a"], .text("list \"x"), "the alias “a”"), (["columns"], .number(3), "a list of names"),
            (
                ["columns"], .list([.text("title"), .number(3)]),
                "columns must be a list of names: [\"due\", \"title\"]; in the list, 3 isn't a name."
            ), (["default-list"], .list([.text("task"), .flag(true)]), "; in the list, true isn't a text in quotes."),
            (["columns"], .list([]), "columns is empty"),
            (["columns"], .list([.text("id"), .text("id")]), "columns has “id” twice"),
        ] as [([String], SettingValue, String)])
    func errors(path: [String], value: SettingValue, expected: String) throws {
        let settings = loaded([(path, value)])
        try #require(settings.errors.count == 1)
        #expect(settings.errors[0].description.contains(expected), "\(settings.errors[0])")
        #expect(settings.values == Settings())
        #expect { try settings.check(for: .testing) } throws: { error in
            (error as? Failure)?.category == .usage && (error as? Failure)?.message.contains(expected) == true
        }
    }

    @Test("A variable with the program's name takes precedence over the file; an empty one doesn't")
    func environment() throws {
        var settings = loaded([(["theme"], .text("dark")), (["week-start"], .text("monday"))])
        settings.apply(["SHELF_THEME": "light", "SHELF_WEEK_START": "", "SATCHEL_THEME": "none"], of: .testing)
        #expect(settings.values.theme == .light)
        #expect(settings.values.weekStart == .monday)
        #expect(settings.origin(of: try #require(Setting.named("theme"))).description == "$SHELF_THEME")
        settings.apply(["SHELF_CONFIRM_ABOVE": "x"], of: .testing)
        #expect(settings.errors.first?.description.hasPrefix("$SHELF_CONFIRM_ABOVE: ") == true)
    }

    @Test("`config` shows each setting with its value and its place, and one with its name")
    func config() async throws {
        var settings = loaded([(["theme"], .text("dark"))])
        settings.note(.init(path: "c.toml", source: "--config", exists: true))
        let screen = Presentation(ConfigController(settings)) { Issue.record($0) }
        try await screen.send(.show(nil))
        #expect(screen.state.settings.map(\.name) == Setting.all.map(\.name))
        #expect(screen.state.settings.filter { !$0.isDefault }.map(\.origin) == ["c.toml:1"])
        #expect((screen.state.file, screen.state.fileSource) == ("c.toml", "--config"))
        try await screen.send(.show("confirm-above"))
        #expect(screen.state.settings.map(\.value) == ["10"])
        await #expect(throws: Failure(.notFound, "Unknown setting “theme2”. Did you mean “theme”?")) {
            try await screen.send(.show("theme2"))
        }
    }

    @Test("The first day of the week determines the week of dates")
    func weekStart() throws {
        let home = try Home()
        let ends = try ["monday", "sunday", "saturday"].map { day in
            let services = home.services.configured(by: loaded([(["week-start"], .text(day))]))
            return try DateExpression("eow", in: services.notebook.dates).value.description
        }
        #expect(Set(ends).count == 3, "\(ends)")
    }

    @Test("`list` without words uses the default list; with words it doesn't")
    func defaultList() async throws {
        let home = try Home()
        try home.put(["aaaa": ["title": "Milk", "tags": ["shop"]], "bbbb": ["title": "Paint"]])
        let settings = loaded([(["default-list"], .text("+shop"))]).values
        let list = Presentation(ListController(home.services.notebook, settings: settings)) { Issue.record($0) }
        try await list.send(.list(filter: [], limit: nil, offset: nil))
        #expect(list.state.rows.map(\.title) == ["Milk"])
        #expect(list.state.filter == "+shop")
        try await list.send(.list(filter: ["all"], limit: nil, offset: nil))
        #expect(list.state.total == 2)
    }

    @Test("`count` without words counts the open records, not those of the default list")
    func countIgnoresDefaultList() async throws {
        let home = try Home()
        try home.put(["aaaa": ["title": "Milk", "tags": ["shop"]], "bbbb": ["title": "Paint"]])
        let services = home.services.configured(by: loaded([(["default-list"], .text("+shop"))]))
        let count = Presentation(CountController(services.notebook)) { Issue.record($0) }
        try await count.send(.show(filter: []))
        #expect(count.state.count == 2)
    }

    @Test("`date-style` determines the dates of lists and notices, also on another terminal")
    func dateStyle() async throws {
        let home = try Home()
        let services = home.services.configured(by: loaded([(["date-style"], .text("iso"))])).onTerminal("other")
        let list = Presentation(ListController(services.notebook)) { Issue.record($0) }
        try await list.send(.add(["Call", "due:tomorrow", "17:00"], body: nil))
        #expect(list.state.notice?.hasSuffix("due 2026-11-22 17:00.") == true, "\(list.state.notice ?? "")")
        try await list.send(.list(filter: [], limit: nil, offset: nil))
        let due = try #require(list.state.rows.first?.values["due"])
        let date = try #require(DateValue("2026-11-22T17:00:00Z"))
        #expect(due == .date(date, words: "2026-11-22 17:00"))
    }

    @Test("An unknown name in `columns` is refused with the known ones when the record types are known")
    func unknownColumn() throws {
        var settings = loaded([(["columns"], .list([.text("due"), .text("duee")]))])
        #expect(settings.errors.isEmpty)
        settings.check(for: .standard, dates)
        let error = try #require(settings.errors.first).description
        let reason = "columns contains “duee”, which isn't a column. Did you mean “due”? Known names: number, id, "
        #expect(error.hasPrefix("c.toml:1: " + reason), "\(error)")
        #expect(error.contains(" tags,") && error.hasSuffix(", urgency."))
        #expect(settings.values.columns == [])
        settings = loaded([(["columns"], .list([.text("id"), .text("entry"), .text("urgency")]))])
        settings.check(for: .standard, dates)
        #expect(settings.errors.isEmpty)
    }

    @Test(
        "The suggested line for `columns` is a list of names, however they are separated",
        arguments: ["due title", "due,title", "due, title", "[\"due\", \"title\"]"])
    func suggestedColumns(typed: String) async throws {
        let screen = Presentation(ConfigController(LoadedSettings())) { Issue.record($0) }
        let refusal = await failure { try await screen.send(.show("columns", value: typed)) }
        #expect(refusal.message.hasSuffix(": columns = [\"due\", \"title\"]"), "\(refusal.message)")
    }

    @Test("A list has the chosen columns in their order, also those of fields that usually have none")
    func columns() async throws {
        let home = try Home()
        try home.put(["aaaa": ["title": "Milk", "tags": ["shop"], "wait": "2026-11-20", "depends": ["bbbb"]]])
        let settings = loaded([(["columns"], .text("tags, wait,depends"))]).values
        let list = Presentation(ListController(home.services.notebook, settings: settings)) { Issue.record($0) }
        try await list.send(.list(filter: [], limit: nil, offset: nil))
        #expect(list.state.types.shown.map(\.name) == ["tags", "wait", "depends"])
        let row = try #require(list.state.rows.first)
        let day = try #require(DateValue("2026-11-20"))
        #expect(row.additional == ["wait": .date(day, words: "-1d"), "depends": .texts(["bbbb"])])
        #expect(row.values["tags"] == .texts(["shop"]))
    }

    @Test("A change asks above the number of the setting", arguments: [("1", true), ("2", false), ("never", false)])
    func confirmation(limit: String, asks: Bool) async throws {
        let home = try Home()
        try home.put(["aaaa": ["title": "Milk"], "bbbb": ["title": "Paint"]])
        let settings = loaded([(["confirm-above"], .text(limit))]).values
        let list = Presentation(ListController(home.services.notebook, settings: settings)) { Issue.record($0) }
        if asks {
            await #expect(throws: ConfirmationNeeded.self) { try await list.send(.complete(["aaaa", "bbbb"])) }
        } else {
            try await list.send(.complete(["aaaa", "bbbb"]))
        }
        #expect(try (home.task("aaaa")?["status"] == "completed") == !asks)
    }

    @Test("A date at the end of a title becomes the deadline with `use`, unless one is given")
    func titleDates() async throws {
        let home = try Home()
        let settings = loaded([(["title-dates"], .text("use"))]).values
        let list = Presentation(ListController(home.services.notebook, settings: settings)) { Issue.record($0) }
        try await list.send(.add(["Dentist", "+health", "tomorrow", "5pm"], body: nil))
        #expect(list.state.notice?.contains("“Dentist”, due tomorrow 17:00") == true, "\(list.state.notice ?? "")")
        try await list.send(.add(["Dentist tomorrow 5pm", "due:today"], body: nil))
        #expect(list.state.notice?.contains("“Dentist tomorrow 5pm”, due today") == true)
    }
}
