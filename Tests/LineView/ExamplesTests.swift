@testable import ControllerKit
import Controllers
import TestSupport
import Testing

@testable import LineView

@MainActor
@Suite("The examples of help")
struct ExamplesTests {
    /// An example, and the verb whose it is.
    private func examples() throws -> [(verb: VerbSignature, line: String, meaning: String)] {
        let verbs = try Catalog.standard(.testing()).verbs
        return verbs.flatMap { verb in verb.examples.map { (verb, $0.line, $0.meaning) } }
    }

    @Test("Every command has one, and it says what it does in a sentence")
    func complete() throws {
        for verb in try Catalog.standard(.testing()).verbs {
            #expect(!verb.examples.isEmpty, "\(verb.name) has no example")
        }
        for (_, line, meaning) in try examples() {
            #expect(meaning.hasSuffix(".") && meaning.first?.isUppercase == true, "\(line): \(meaning)")
        }
    }

    @Test("Each is in the grammar, and makes an intent of its verb")
    func inTheGrammar() throws {
        let catalog = try Catalog.standard(.testing())
        for (verb, line, _) in try examples() {
            let words = try Tokenizer.words(of: line)
            #expect(words.first == verb.name, "\(line)")
            let arguments = try LineArguments(Array(words.dropFirst()), for: verb)
            var values = arguments.values
            for spec in verb.arguments where spec.kind == .secret || arguments.files[spec.name] != nil {
                values[spec.name] = .text("read from a file, or asked for")
            }
            try catalog.entry(ofVerb: verb.name).check(verb.name, values)
        }
    }
}
