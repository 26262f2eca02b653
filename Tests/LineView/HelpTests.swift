import ControllerKit
import Controllers
import Manual
import Records
import SatchelScreens
import Terminal
import TestSupport
import Testing

@testable import LineView

@MainActor
@Suite("Help")
struct HelpTests {
    private func book() throws -> HelpBook {
        HelpBook(
            try .satchel(.testing()), of: .testing, tour: .satchel, topics: HelpTopic.standard(of: .testing, .standard))
    }

    private func session(_ columns: Int? = nil) throws -> (session: LineSession, terminal: ScriptedTerminal) {
        let terminal = ScriptedTerminal(page: LinePage(columns: columns))
        return (try LineSession(try .satchel(.testing()), of: .testing, terminal: terminal, book: try book()), terminal)
    }

    @Test("It begins with examples and lists every command")
    func overview() async throws {
        let (session, terminal) = try session()
        #expect(await session.say(["help"]) == .ok)
        #expect(terminal.data.hasPrefix("First steps\n  add Buy milk +shop due:tomorrow "))
        for name in try book().commands { #expect(terminal.data.contains("\n  \(name) "), "\(name)") }
        for topic in HelpTopic.standard(of: .testing, .standard) {
            #expect(terminal.data.contains("\n  help \(topic.name) "))
        }
    }

    @Test("Every command and every topic has a help text, commands with examples")
    func explanations() async throws {
        for name in try book().names {
            let (session, terminal) = try session()
            #expect(await session.say(["help", name]) == .ok)
            #expect(terminal.data.count(where: \.isNewline) > 3, "\(name)")
            if try book().commands.contains(name) { #expect(terminal.data.contains("\nExamples\n"), "\(name)") }
        }
    }

    @Test("It fits the page and nothing is cut", arguments: [40, 80, 200])
    func widths(columns: Int) throws {
        let book = try book()
        let all = [book.overview()] + book.names.map(book.explanation)
        for blocks in all {
            let lines = blocks.lines(on: LinePage(columns: columns))
            // Only a word that is longer than a line (a path) exceeds the page.
            #expect(lines.allSatisfy { $0.displayWidth <= columns || $0.split(separator: " ").count == 1 })
            // Line breaks change only spaces.
            let letters = { (lines: [String]) in lines.joined().filter { $0 != " " }.sorted() }
            #expect(letters(lines) == letters(blocks.lines(on: LinePage())))
        }
    }

    @Test(
        "A command with --help shows its help and does nothing",
        arguments: [["add", "--help"], ["add", "Buy milk", "--help"], ["add", "-h"], ["help", "add"]])
    func ofCommand(words: [String]) async throws {
        let (session, terminal) = try session()
        #expect(await session.say(words) == .ok)
        #expect(terminal.data.hasPrefix("add <words>…"))
        #expect(terminal.messages.isEmpty)
    }

    @Test(
        "Commands that only show help need no records, others do",
        arguments: [
            (["help"], true), (["help", "add"], true), (["completions", "zsh"], true), (["add", "x", "--help"], true),
            (["add", "-h"], true), (["add", "--", "--help"], false), (["list", "-h", "x"], false), ([], false),
        ])
    func needsNoHome(words: [String], isSo: Bool) { #expect(LineSession.needsNoHome(words) == isSo) }

    @Test("After two dashes --help is a word; -h among other words is no help")
    func noHelp() async throws {
        let (session, terminal) = try session()
        #expect(await session.say(["add", "--", "--help"]) == .ok)
        #expect(await session.say(["list", "-h", "milk"]) == .usage)
        #expect(terminal.messages.contains("--help"))
        #expect(!terminal.data.contains("list [<filter>…]"))
    }

    @Test("An unknown topic is reported with the nearest ones")
    func unknown() async throws {
        let (session, terminal) = try session()
        #expect(await session.say(["help", "datse"]) == .usage)
        #expect(terminal.messages == "Unknown command or topic “datse”. Did you mean “dates”?\n")
    }

    @Test("A command refers to the topics about its arguments")
    func pointers() throws {
        let lines = try book().explanation(of: "list").lines(on: LinePage())
        #expect(lines.contains { $0.hasPrefix("  help filters") } && lines.contains { $0.hasPrefix("  help dates") })
        for command in ["add", "edit"] {
            #expect(
                try book().explanation(of: command).lines(on: LinePage()).contains { $0.hasPrefix("  help repeat") })
        }
    }

    @Test(
        "The help of filters has the types, fields and states of the program",
        arguments: [
            "+shop, -shop", "project:house", "priority:H", "task, note", "done, pending, overdue, all",
            "title:milk, body:milk", "sort:-due, sort:priority,due",
        ])
    func filters(term: String) throws {
        let lines = try book().explanation(of: "filters").lines(on: LinePage())
        #expect(lines.contains { $0.hasPrefix("  \(term)  ") })
    }

    @Test("A topic that a verb names exists")
    func topics() throws {
        let names = HelpTopic.standard(of: .testing, .standard).map(\.name)
        for verb in try book().verbs { #expect(verb.topics.allSatisfy(names.contains), "\(verb.name)") }
        #expect(try book().explanation(of: "sync").lines(on: LinePage()).contains { $0.hasPrefix("  help syncing") })
    }

    private static let process = """
        {"serializationVersion": 0, "command": {"commandName": "satchel", "abstract": "Tasks.", "discussion": "More.",
          "arguments": [{"kind": "option", "shouldDisplay": true, "isOptional": true, "isRepeating": false,
            "valueName": "home", "names": [{"kind": "long", "name": "home"}], "abstract": "Where."}]}}
        """

    @Test("The man page has every command, option, topic and example")
    func manual() throws {
        let book = try book()
        let roff = book.manual(of: try CommandHelp(dump: Self.process)).roff
        for verb in book.verbs {
            #expect(roff.contains(".SS \"\(verb.name)"), "\(verb.name)")
            for argument in verb.arguments where argument.placement == .option {
                #expect(roff.contains("\\-\\-" + argument.optionName.replacing("-", with: "\\-")), "\(argument.name)")
            }
            #expect(verb.examples.allSatisfy { roff.contains(Manual.Term("satchel \($0.line)", "").roffName) })
        }
        let sections = roff.split(separator: "\n").filter { $0.hasPrefix(".SH ") }
        let titles = [
            "NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "COMMANDS", "EXIT STATUS", "ENVIRONMENT", "FILES",
            "SEE ALSO",
        ]
        for title in titles { #expect(sections.contains { $0.contains(title) }, "\(title)") }
    }
}

extension Manual.Term {
    /// The term as on a page of its own.
    fileprivate var roffName: String {
        let manual = Manual(
            name: "", part: 1, summary: "", version: "", day: "", sections: [.init("", [.terms([self])])])
        return manual.roff.split(separator: "\n").dropLast().last.map(String.init) ?? ""
    }
}

@Suite("Breaking texts into lines")
struct WrappingTests {
    @Test(
        "Between words; a word that is too long for a line stays whole, except in Chinese and Japanese",
        arguments: [
            ("one two three", 7, 0, ["one two", "three"]), ("  one two", 7, 4, ["  one", "    two"]),
            ("a bcdefgh i", 3, 0, ["a", "bcdefgh", "i"]), ("mine|their|both", 10, 2, ["mine|", "their|both"]),
            ("ab mine|their", 10, 2, ["ab", "mine|their"]),
            ("日本語 x", 4, 0, ["日本", "語 x"]), ("", 5, 0, [""]),
        ])
    func wrapped(text: String, columns: Int, hanging: Int, lines: [String]) {
        #expect(text.wrapped(to: columns, hanging: hanging) == lines)
    }
}
