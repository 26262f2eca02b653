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
@Suite("Completing in a shell")
struct ShellCompletionTests {
    private static let process = """
        {"serializationVersion": 0, "command": {"commandName": "satchel", "arguments": [
          {"kind": "option", "shouldDisplay": true, "isOptional": true, "isRepeating": false, "valueName": "home",
           "names": [{"kind": "long", "name": "home"}], "abstract": "Where."},
          {"kind": "option", "shouldDisplay": true, "isOptional": true, "isRepeating": false, "valueName": "view",
           "allValues": ["line", "json"], "names": [{"kind": "long", "name": "view"}]},
          {"kind": "flag", "shouldDisplay": false, "isOptional": true, "isRepeating": false,
           "names": [{"kind": "long", "name": "hidden"}]}]}}
        """

    private func answer(_ line: String, _ shell: Shell = .zsh) async throws -> [String] {
        let process = try CommandHelp(dump: Self.process)
        let book = HelpBook(
            try .satchel(.testing()), of: .testing, tour: .satchel, topics: HelpTopic.standard(of: .testing, .standard))
        let words = WordCompletions(.standard) { completion, beginning in
            switch completion {
            case .tags:
                ["shop", "a\nb", "x\u{202E}y", "\u{200B}z", "\u{9B}w"].filter { $0.hasPrefix(beginning) }.map {
                    Completion($0)
                }
            case .records: [Completion("3f2a", note: "Buy \u{1B}[2Jmilk\tnow")]
            default: []
            }
        }
        let completion = ShellCompletion(book, process: process, attachable: ["json"], completions: words.completions)
        return await completion.answer(ShellCommand(line, of: process), for: shell)
    }

    @Test(
        "The process's options, their values, then commands and their words",
        arguments: [
            ("satchel --h", ["--home\tWhere."]), ("satchel --view ", ["line", "json"]),
            ("satchel --view=j", ["--view=json"]),
            ("satchel --home /x exp", ["export\tExport all records that the format can hold."]),
            ("satchel --home=/x list +", ["+shop"]), ("satchel help da", ["dates"]),
            ("satchel completions f", ["fish"]),
            ("satchel list --l", ["--limit"]), ("satchel nonsense +", []), ("satchel list --limit ", []),
        ])
    func words(line: String, offers: [String]) async throws {
        #expect(try await answer(line) == ["words"] + offers)
    }

    @Test(
        "File names are left to the shell", arguments: ["--home ", "add x --body-file ", "import csv ", "--home=/t"])
    func files(words: String) async throws { #expect(try await answer("satchel " + words) == ["files"]) }

    @Test("The description of a completion is escaped and fits its line")
    func harmless() async throws { #expect(try await answer("satchel show ") == ["words", "3f2a\tBuy ␛[2Jmilk␉now"]) }

    @Test("Options of the process are used")
    func options() throws {
        let command = ShellCommand(
            "satchel --home '/my home' --view=line list ", of: try CommandHelp(dump: Self.process))
        #expect(command.options == ["home": "/my home", "view": "line"])
    }

    @Test("Each shell has its own script", arguments: Shell.allCases)
    func scripts(shell: Shell) async throws {
        let terminal = ScriptedTerminal()
        let session = try LineSession(try .satchel(.testing()), of: .testing, terminal: terminal)
        #expect(await session.say(["completions", shell.rawValue]) == .ok)
        #expect(terminal.data == shell.script(of: "shelf") + "\n")
        #expect(!terminal.data.contains("satchel") && !terminal.data.contains("COMMAND"))
        #expect(await session.say(["completions", "csh"]) == .usage)
        #expect(await session.say(["completions"]) == .usage)
    }
}
