import ControllerKit
import Foundation
import Testing

@Suite("Verbs")
struct VerbTests {
    private enum Said: Equatable {
        case add([String], limit: Int?, all: Bool)
        case edit(String, title: String?, body: String?)
        case login(String, password: String)
        case pick(String)
    }

    private let add = Verb(
        "add", .rest(.text("words"), isRequired: true), .option(.integer("limit", help: "At most.")), .flag("all"),
        answer: .notice, help: "Add."
    ) { Said.add($0, limit: $1, all: $2) }
    private let edit = Verb(
        "edit", .record("record"), .option(.text("title")), .option(.contents("body")), help: "Edit."
    ) { Said.edit($0, title: $1, body: $2) }
    private let login = Verb("login", .text("name"), .secret("password"), help: "Sign in.") {
        Said.login($0, password: $1)
    }
    private let pick = Verb("pick", .choice("colour", ["red", "green"]), help: "Pick.") { Said.pick($0) }

    @Test("D4 a verb creates its intent from neutral values, including absent ones")
    func intents() throws {
        #expect(try add.intent(from: ["words": .list(["a", "+b"])]) == .add(["a", "+b"], limit: nil, all: false))
        #expect(
            try add.intent(from: ["words": .list(["a"]), "limit": .integer(3), "all": .flag(true)])
                == .add(["a"], limit: 3, all: true))
        #expect(
            try edit.intent(from: ["record": .text("3f"), "body": .text("…")])
                == .edit("3f", title: nil, body: "…"))
    }

    @Test(
        "Missing, wrong and unknown arguments are reported by name",
        arguments: [
            ([:], "words is missing."), (["words": .list([])], "words is missing."),
            (["words": .text("a")], "words must be a list of texts, not “a”."),
            (["words": .list(["a"]), "limit": .number(1.5)], "limit must be a whole number, not “1.5”."),
            (
                ["words": .list(["a"]), "colour": .text("red")],
                "“add” has no argument “colour”."
            ),
        ] as [(ArgumentValues, String)])
    func refusals(values: ArgumentValues, message: String) {
        #expect(throws: Failure(.usage, message)) { try add.intent(from: values) }
    }

    @Test(
        "An argument's label is its name as words, or the one it was given",
        arguments: [
            ("new-password", "new password"), ("positionIsValid", "position is valid"), ("server-URL", "server URL"),
            ("is-read-only", "is read only"), ("2026-01-31", "2026-01-31"), ("a-1", "a-1"), ("-a-", "-a-"),
            ("größer-Überall", "größer überall"), ("", ""),
        ])
    func label(name: String, label: String) {
        func first(_ argument: Argument<String>) -> String? {
            Verb("say", argument, help: "") { _ in 0 }.signature.arguments.first?.label
        }
        #expect(first(.text(name)) == label)
        #expect(first(.text(name).labelled("The Text-Field")) == "The Text-Field")
    }

    @Test("A choice accepts only its words")
    func choices() {
        #expect(throws: Failure(.usage, "“blue” must be red or green.")) {
            try pick.intent(from: ["colour": .text("blue")])
        }
    }

    @Test("Typed texts are parsed as the argument's kind")
    func parsing() throws {
        let limit = try #require(add.signature.argument(named: "limit"))
        #expect(try ArgumentValue(parsing: "12", as: limit) == .integer(12))
        #expect(throws: Failure(.usage, "limit must be a whole number, not “1e3”.")) {
            try ArgumentValue(parsing: "1e3", as: limit)
        }
    }

    @Test("Usage lines are derived from the specs")
    func usage() {
        #expect(edit.signature.usage == "edit <record> [--title <title>] [--body-file FILE|-]")
        #expect(login.signature.usage == "login <name> [--password-file FILE|-]")
        #expect(pick.signature.usage == "pick red|green")
    }

    @Test("JSON Schemas are derived from the specs; a secret is write-only")
    func schemas() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let schema = String(decoding: try encoder.encode(login.signature.schema), as: UTF8.self)
        #expect(
            schema == """
                {"additionalProperties":false,"properties":{"name":{"type":"string"},\
                "password":{"type":"string","writeOnly":true}},"required":["name","password"],"type":"object"}
                """)
        #expect(add.signature.schema.properties["words"]?.items == ["type": "string"])
    }

    @Test("Any error has a message: its own, or that something unexpected happened")
    func failures() {
        struct Odd: Error {}
        #expect(Failure(Failure(.conflict, "Taken.")) == Failure(.conflict, "Taken."))
        #expect(Failure(Odd()).category == .failed)
        #expect(Failure(CancellationError()).message == "Interrupted.")
    }
}
