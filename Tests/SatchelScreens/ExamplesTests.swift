import Controllers
import Terminal
import TestSupport
import Testing

@testable import ControllerKit
@testable import LineView
@testable import SatchelScreens

@MainActor
@Suite("The examples of help")
struct ExamplesTests {
    /// An example and its verb: the examples of the verbs, and those at the beginning of help.
    private func examples() throws -> [(verb: VerbSignature, line: String, meaning: String)] {
        let verbs = try Catalog.satchel(.testing()).commands.map(\.verb)
        let tour = [ExampleGroup].satchel.flatMap(\.examples)
        let named = try tour.map { example in
            (
                try #require(verbs.first { example.line.split(separator: " ").first.map(String.init) == $0.name }),
                example
            )
        }
        return (named + verbs.flatMap { verb in verb.examples.map { (verb, $0) } }).map {
            ($0.0, $0.1.line, $0.1.meaning)
        }
    }

    /// The values of an example's words; for a file or a secret, some text.
    private func values(_ line: String, _ verb: VerbSignature) throws -> ArgumentValues {
        let arguments = try LineArguments(Array(CommandWords.split(line).dropFirst()), for: verb)
        var values = arguments.values
        for spec in verb.arguments where spec.kind == .secret || arguments.files[spec.name] != nil {
            values[spec.name] = .text("read from a file, or asked for")
        }
        return values
    }

    @Test("Every command has one, and a sentence says what it does")
    func complete() throws {
        for verb in try Catalog.satchel(.testing()).commands.map(\.verb) {
            #expect(!verb.examples.isEmpty, "\(verb.name) has no example")
        }
        for (_, line, meaning) in try examples() {
            #expect(meaning.hasSuffix(".") && meaning.first?.isUppercase == true, "\(line): \(meaning)")
        }
    }

    @Test("The command that lists the values of an argument exists")
    func listing() throws {
        let verbs = try Catalog.satchel(.testing()).commands.map(\.verb)
        let listing = Set(verbs.flatMap(\.arguments).compactMap(\.listedBy))
        #expect(listing == ["conflicts", "lists"])
        #expect(listing.isSubset(of: verbs.map(\.name)))
    }

    @Test("Each matches the grammar, and makes an intent of its verb")
    func inTheGrammar() throws {
        let catalog = try Catalog.satchel(.testing())
        for (verb, line, _) in try examples() {
            #expect(try CommandWords.split(line).first == verb.name)
            let screen = try catalog.command(verb.name).screen
            _ = try catalog.entry(named: screen).prepare(verb.name, values(line, verb))
        }
    }

    @Test("Each is valid by its verb's JSON Schema")
    func inTheSchema() throws {
        for (verb, line, _) in try examples() {
            let values = try values(line, verb)
            #expect(verb.schema.required.allSatisfy { values[$0] != nil }, "\(line)")
            for (name, value) in values {
                let schema = try #require(verb.schema.properties[name])
                #expect(schema.type == value.jsonType, "\(line): \(name)")
                if let words = schema.enum { #expect(words.contains(value.description)) }
            }
        }
    }

    @Test("A shell splits each into the same words")
    func inAShell() throws {
        for (_, line, _) in try examples() {
            let read = ShellLine(line + " ")
            #expect(try read.words == CommandWords.split(line))
            let open = line.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
                .filter { $0.offset % 2 == 0 }.map(\.element).joined()
            #expect(!open.contains { "<>|&;()$`*?[]#~!{}".contains($0) }, "\(line) means something else in a shell")
        }
    }
}

extension ArgumentValue {
    fileprivate var jsonType: String {
        switch self {
        case .text: "string"
        case .number: "number"
        case .integer: "integer"
        case .flag: "boolean"
        case .list: "array"
        }
    }
}
