import ControllerKit
import Testing

@testable import LineView

@Suite("The grammar of lines")
struct GrammarTests {
    private let commands = Vocabulary(noun: "command", names: ["show", "search", "sync", "status", "done"])

    @Test(
        "A name may be shortened if that is unambiguous",
        arguments: [("sh", "show"), ("sync", "sync"), ("d", "done")])
    func shortened(said: String, name: String) throws {
        #expect(try commands.name(meantBy: said) == name)
    }

    @Test(
        "An ambiguous name is reported with its matches, a wrong one with the nearest, a strange one with none",
        arguments: [
            ("s", "“s” is ambiguous: search, show, status, sync."),
            ("shwo", "Unknown command “shwo”. Did you mean “show”?"),
            ("stat1s", "Unknown command “stat1s”. Did you mean “status”?"),
            ("frobnicate", "Unknown command “frobnicate”. `help` lists them all."),
            ("x", "Unknown command “x”. `help` lists them all."),
        ])
    func wrong(said: String, message: String) {
        #expect(throws: Failure(.usage, message)) { try commands.name(meantBy: said) }
    }

    @Test(
        "For a command's name in another program, the command is suggested; an abbreviation of the command itself is accepted"
    )
    func elsewhere() throws {
        let commands = Vocabulary(
            noun: "command", names: ["done", "completions", "remove"],
            namesElsewhere: ["complete": "done", "rem": "remove"])
        #expect(throws: Failure(.usage, "Unknown command “complete”. Did you mean “done”?")) {
            try commands.name(meantBy: "complete")
        }
        #expect(try commands.name(meantBy: "compl") == "completions")
        #expect(try commands.name(meantBy: "rem") == "remove")
    }

    @Test("A shortened name is ambiguous if it is also the beginning of another command's other name")
    func otherNames() throws {
        let commands = Vocabulary(
            noun: "command", names: ["export", "quit", "edit"], otherNames: ["exit": "quit", "modify": "edit"])
        #expect(throws: Failure(.usage, "“ex” is ambiguous: exit, export.")) { try commands.name(meantBy: "ex") }
        #expect(try commands.name(meantBy: "exp") == "export")
        #expect(try commands.name(meantBy: "exit") == "quit")
        #expect(throws: Failure.self) { try commands.name(meantBy: "mod") }
    }

    private func arguments(_ verb: String, _ words: [String]) throws -> LineArguments {
        let signature = try #require(ShelfScreen.verbs.first { $0.signature.name == verb }).signature
        return try LineArguments(words, for: signature)
    }

    @Test("Options may be anywhere, other words are by position, then the rest; + - and : are letters")
    func parsing() throws {
        let put = try arguments("put", ["Moby", "--pages", "600", "+sea", "-old", "by:Melville", "--all"])
        #expect(
            put.values == [
                "title": .list(["Moby", "+sea", "-old", "by:Melville"]), "pages": .integer(600), "all": .flag(true),
            ])
        #expect(
            try arguments("put", ["--pages=3", "--", "--all"]).values == [
                "pages": .integer(3), "title": .list(["--all"]),
            ])
        let notes = try arguments("notes", ["3f", "--body-file", "-"])
        #expect(notes.values == ["book": .text("3f")])
        #expect(notes.files == ["body": "-"])
    }

    @Test("If the rest of a line has its own signs, -- stays among its words")
    func textMark() throws {
        let verb = Verb(
            "add", .rest(.text("words", completing: CompletionKind("words", hasSigns: true))), .flag("all"),
            help: "Add."
        ) { _, _ in }.signature
        #expect(
            try LineArguments(["a", "--", "--all", "+b"], for: verb).values == [
                "words": .list(["a", "--", "--all", "+b"])
            ])
        #expect(try LineArguments(["--all", "--", "--", "x"], for: verb).values["words"] == .list(["--", "--", "x"]))
        #expect(try LineArguments(["a", "--"], for: verb).values == ["words": .list(["a"])])
        #expect(try LineArguments(["--"], for: verb).values.isEmpty)
    }

    @Test("An optional choice is skipped if the word doesn't match; a wrong value of a required one is reported")
    func leftOut() throws {
        let verb = Verb(
            "import", .optional(.choice("format", ["csv", "json"])), .contents("file"), help: "Import."
        ) { _, _ in }.signature
        let given = try LineArguments(["csv", "a.csv"], for: verb)
        #expect(given.values == ["format": .text("csv")] && given.files == ["file": "a.csv"])
        let without = try LineArguments(["a.csv"], for: verb)
        #expect(without.values.isEmpty && without.files == ["file": "a.csv"])
        #expect(throws: Failure.self) { try LineArguments(["cvs", "a.csv"], for: verb) }
        #expect(throws: Failure.self) { try arguments("keep", ["stone", "text"]) }
    }

    @Test("For a missing argument with a list of its values, the message names the command that lists them")
    func choices() {
        let verb = Verb("settle", .text("dispute").listed(by: "disputes"), help: "Settle.") { _ in }.signature
        let message = "The argument <dispute> of “settle” is missing. Choose one: `disputes` lists them."
        #expect(throws: Failure(.usage, message)) { try LineArguments([], for: verb) }
    }

    @Test(
        "Invalid arguments are reported",
        arguments: [
            ("put", ["--pages"], "--pages needs a value."),
            ("put", ["--page", "3"], "“put” has no option --page. Did you mean --pages?"),
            ("put", ["--pages", "x"], "--pages must be a whole number, not “x”."),
            ("put", ["--pages", "1.5"], "--pages must be a whole number, not “1.5”."),
            ("put", ["--pages", "-"], "--pages must be a whole number, not “-”."),
            (
                "put", ["--pages", "99999999999999999999"],
                "--pages must be a number of at most 18 digits, not “99999999999999999999”."
            ),
            ("put", ["--all", "--all"], "--all is given twice."), ("put", ["--all=yes"], "--all doesn't take a value."),
            (
                "read", ["1", "2"],
                "Unexpected “2” after “read”. `read` works on one record. Put a title with spaces in quotes."
            ),
            (
                "unlock", ["me", "--code", "hunter2"],
                "--code isn't accepted, since other users could read it. Use --code-file FILE, or wait to be asked."
            ),
        ] as [(String, [String], String)])
    func refusals(verb: String, words: [String], message: String) {
        #expect(throws: Failure(.usage, message)) { try arguments(verb, words) }
    }
}
