import ControllerKit
import Controllers
import Records
import Terminal
import Testing

@testable import LineView

@Suite("Completing a line")
struct CompletionTests {
    private let language = LineLanguage(
        commands: Vocabulary(
            noun: "command",
            names: ["list", "add", "show", "login", "done", "tag", "import", "help", "view", "quit", "web"],
            namesElsewhere: ["enter": "login", "new": "add"]),
        verbs: verbs.map(\.signature),
        own: [
            "web": .fixed(["off", "--open", "--port"]), "help": .explained, "view": .attachable, "quit": .fixed([]),
        ], attachable: ["json"], topics: ["dates"],
        source: WordCompletions(.standard) { completion, beginning in
            switch completion {
            case .tags: ["shop", "shed", "Später"].filter { $0.hasPrefix(beginning) }.map { Completion($0) }
            case .texts(in: "project"):
                ["Big house", "garden"].filter { $0.hasPrefix(beginning) }.map { Completion($0) }
            case .records: records.filter { $0.text.hasPrefix(beginning) || $0.note.lowercased().contains(beginning) }
            case .lists:
                ["shopping", "soon"].filter { $0.hasPrefix(beginning) }.map { Completion($0, note: "+shop due<eow") }
            default: []
            }
        }.completions)

    private static let records = [
        Completion("3f2a", note: "Buy milk"), Completion("3f9c", note: "Buy bread"), Completion("b001", note: "Paint"),
    ]

    private static let verbs: [Verb<Int>] = [
        Verb("list", .rest(.text("filter", completing: .words)), .option(.integer("limit")), .flag("all"), help: "") {
            _, _, _ in 0
        },
        Verb("add", .rest(.text("words", completing: .words)), .option(.text("title")), help: "") { _, _ in 0 },
        Verb("show", .record("record"), help: "") { _ in 0 },
        Verb("done", .rest(.record("records")), help: "") { _ in 0 },
        Verb("tag", .rest(.text("words", completing: .recordsAndTags)), help: "") { _ in 0 },
        Verb("login", .text("name"), .secret("password"), help: "") { _, _ in 0 },
        Verb(
            "import", .choice("format", ["taskwarrior", "todotxt"]), .option(.choice("kind", ["all", "open"])), help: ""
        ) { _, _ in 0 },
    ]

    /// The line after Tab; with several completions, the offered ones.
    private func tab(_ line: String) async -> (line: String, offers: [String]) {
        let completion = await language.complete(line)
        let kept = String(String.UnicodeScalarView(line.unicodeScalars.dropLast(completion.removed)))
        return (kept + completion.inserted, completion.choices.map(\.text))
    }

    @Test(
        "A unique completion is inserted: a whole word with a space after it, or the common prefix",
        arguments: [
            ("do", "done "), ("help li", "help list "), ("help dat", "help dates "), ("view ", "view json "),
            ("list --l", "list --limit "), ("list --limit 3 --a", "list --limit 3 --all "),
            ("list --json --p", "list --json --p"), ("list --p", "list --plain "),
            ("list --json +sho", "list --json +shop "),
            ("list @sh", "list @shopping "), ("list @s", "list @s"), ("add +sho", "add +shop "), ("add +s", "add +sh"),
            ("list -shop milk -S", "list -shop milk -Später "), ("list pro", "list project:"),
            ("list project:g", "list project:garden "), ("list project:B", "list project:\"Big house\" "),
            ("list project:\"Big", "list project:\"Big house\" "), ("add due:tom", "add due:tomorrow "),
            ("show b0", "show b001 "), ("done 3f2a pai", "done 3f2a b001 "), ("done 3", "done 3f"),
            ("tag 3f2a +sho", "tag 3f2a +shop "), ("import t", "import t"), ("import ta", "import taskwarrior "),
            ("import --kind=o", "import --kind=open "), ("import --kind o", "import --kind open "),
            ("web o", "web off "), ("web --port 8290 --o", "web --port 8290 --open "),
            ("list\nadd +sho", "list\nadd +shop "), ("lis +sho", "lis +shop "),
        ])
    func inserted(line: String, after: String) async { #expect(await tab(line).line == after) }

    @Test(
        "Several completions are offered, and the line is unchanged",
        arguments: [
            ("li", "list ", []), ("l", "l", ["list", "login"]), ("add +sh", "add +sh", ["+shop", "+shed"]),
            ("list --limit 3 --", "list --limit 3 --", ["--all", "--plain", "--json"]),
            ("list --plain --", "list --plain --", ["--limit", "--all"]),
            ("list @s", "list @s", ["@shopping", "@soon"]),
            ("done buy", "done buy", ["3f2a", "3f9c"]), ("done ", "done ", ["3f2a", "3f9c", "b001"]),
            ("import t", "import t", ["taskwarrior", "todotxt"]),
        ] as [(String, String, [String])])
    func offered(line: String, after: String, offers: [String]) async {
        let result = await tab(line)
        #expect(result.line == after)
        #expect(result.offers == offers)
    }

    @Test(
        "Without a completion nothing happens",
        arguments: [
            "xyz", "xyz ", "quit ", "show b001 ", "list --nope ", "login a", "list --limit ", "add +nope",
            "add -- --li",
        ])
    func nothing(line: String) async {
        let result = await tab(line)
        #expect(result.line == line)
        #expect(result.offers == [])
    }

    @Test(
        "A line that may contain a secret is not kept: typed as an option, or as a superfluous word",
        arguments: [
            ("login ada", true), ("login ada --password-file f", true), ("login ada --password hunter2", false),
            ("login ada --password=hunter2", false), ("login ada --password \"hunter2", false), ("add password", true),
            ("add \"open", true), ("login ada hunter2", false), ("log ada hunter2", false),
            ("Login ada hunter2", false), ("lgoin ada hunter2", false), ("l ada hunter2", false),
            ("login ada \"hunter 2", false), ("login ada --nope hunter2", false), ("login", true),
            ("logi ada hunter2", false), ("enter ada hunter2", false), ("new milk hunter2", true),
            ("login ada hunter2 --password-file f", false), ("login ada --json", true), ("list ada", true),
            ("show b001 hunter2", true), ("", true),
        ])
    func kept(line: String, isKept: Bool) { #expect(language.isKept(line) == isKept) }
}
