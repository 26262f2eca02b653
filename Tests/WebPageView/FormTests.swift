import ControllerKit
import Testing

@testable import WebPageView

@Suite struct FormTests {
    private func values(_ pairs: [(String, String)], _ verb: VerbSignature) -> ArgumentValues? {
        if case .values(let values) = FormReading(Parameters(pairs), for: verb) { values } else { nil }
    }

    private func errors(_ pairs: [(String, String)], _ verb: VerbSignature) -> [String: String] {
        if case .errors(let errors) = FormReading(Parameters(pairs), for: verb) { errors } else { [:] }
    }

    @Test func `every kind of argument is read from its field`() {
        let verb = Verb(
            "say", .text("text"), .number("number"), .integer("integer"), .record("record"),
            .choice("choice", ["a", "b"]), .secret("secret"), .contents("contents"), .flag("flag"), help: "Say it."
        ) { _, _, _, _, _, _, _, _ in 0 }.signature
        let given = [
            ("text", "two words"), ("number", "1.5"), ("integer", "-3"), ("record", "c0ffee"), ("choice", "b"),
            ("secret", " pass "), ("contents", "one\r\ntwo"), ("flag", "true"),
        ]
        #expect(
            values(given, verb) == [
                "text": .text("two words"), "number": .number(1.5), "integer": .integer(-3), "record": .text("c0ffee"),
                "choice": .text("b"), "secret": .text(" pass "), "contents": .text("one\ntwo"), "flag": .flag(true),
            ])
    }

    @Test func `a field that depends on a check box is required only with it, or only without it`() {
        let verb = Verb(
            "open", .without("coded", .secret("key")), .with("coded", .secret("code")), .flag("coded"), help: ""
        ) { _, _, _ in 0 }.signature
        #expect(errors([], verb).keys.sorted() == ["key"])
        #expect(errors([("coded", "true"), ("key", "1")], verb).keys.sorted() == ["code"])
        #expect(values([("coded", "true"), ("code", "2")], verb) == ["code": .text("2"), "coded": .flag(true)])
    }

    @Test func `a field that depends on a word of a choice is required only with that word`() {
        let verb = Verb(
            "keys", .optional(.choice("action", ["list", "add"])), .with("action", "add", .secret("code")), help: ""
        ) { _, _ in 0 }.signature
        #expect(errors([], verb).isEmpty)
        #expect(errors([("action", "list")], verb).isEmpty)
        #expect(errors([("action", "add")], verb).keys.sorted() == ["code"])
        #expect(values([("action", "add"), ("code", "2")], verb) == ["action": .text("add"), "code": .text("2")])
    }

    @Test func `an empty field is no argument`() {
        let verb = Verb("say", .optional(.text("text")), .option(.contents("body")), .flag("flag"), help: "") {
            _, _, _ in 0
        }.signature
        #expect(values([("text", ""), ("body", "")], verb) == ["flag": .flag(false)])
    }

    @Test func `each invalid field is named`() {
        let verb = Verb("say", .text("text"), .integer("integer"), .choice("choice", ["a"]), help: "") { _, _, _ in 0 }
            .signature
        let wrong = errors([("text", ""), ("integer", "many"), ("choice", "b")], verb)
        #expect(wrong.keys.sorted() == ["choice", "integer", "text"])
        #expect(wrong["integer"] == "Integer must be a whole number, not “many”.")
    }

    @Test func `the words of a line are the same as at the prompt`() {
        let authors = Verb("credit", .rest(.text("authors")), help: "") { _ in 0 }.signature
        #expect(
            values([("authors", "\"Terry Pratchett\" \"Neil Gaiman\"")], authors) == [
                "authors": .list(["Terry Pratchett", "Neil Gaiman"])
            ])
        #expect(
            values([("authors", "Read \\\"Dune\\\" +x due:\"friday 15:00\" don't")], authors) == [
                "authors": .list(["Read", "\"Dune\"", "+x", "due:friday 15:00", "don't"])
            ])
        #expect(values([("authors", "  ")], authors) == [:])
        #expect(
            errors([("authors", "\"Terry")], authors)["authors"]?.hasPrefix("A quotation mark \" is not closed.")
                == true)
        let verb = Verb("say", .rest(.record("records"), isRequired: true), help: "") { _ in 0 }.signature
        #expect(values([("records", "a b"), ("records", "c")], verb) == ["records": .list(["a", "b", "c"])])
    }

    @Test func `an unchanged field is no edit, and an emptied one is`() {
        let verb = Verb("say", .option(.text("title")), .option(.contents("body")), help: "") { _, _ in 0 }.signature
        let base = [("was.title", Base.digest(of: "Old")), ("was.body", Base.digest(of: "a\nb"))]
        #expect(values(base + [("title", "Old"), ("body", "a\r\nb")], verb) == [:])
        #expect(values(base + [("title", "New"), ("body", "")], verb) == ["title": .text("New"), "body": .text("")])
    }

    @Test func `an argument that names a file of this machine is neither offered nor accepted`() {
        let verb = Verb("say", .option(.text("path", completing: .files)), .option(.text("name")), help: "") { _, _ in 0
        }.signature
        #expect(PagePolicy.fields(of: verb).map(\.name) == ["name"])
        #expect(values([("path", "/etc/passwd"), ("name", "x")], verb) == ["name": .text("x")])
    }

    @Test func `an address carries any text, and is parsed only for paths of the page`() throws {
        let query = Parameters([("filter", "+a&b=c ü\"<"), ("filter", "%")])
        let address = PageAddress(screen: "list", query)
        #expect(PageAddress(address.text) == address)
        #expect(address.parameters == query)
        for text in ["//evil.example", "https://evil.example", "", "/", "/a/b", "/\\evil", "list"] {
            #expect(PageAddress(text) == nil)
        }
    }
}

/// Inputs whose values are words of an argument.
@Suite struct FormFieldTests {
    private let verb = Verb(
        "add", .rest(.text("words", completing: CompletionKind("words", hasSigns: true)), isRequired: true), help: ""
    ) { $0 }.signature

    private func words(_ pairs: [(String, String)]) -> [String]? {
        guard case .values(let values) = FormReading(Parameters(pairs), for: verb),
            case .list(let words)? = values["words"]
        else { return nil }
        return words
    }

    @Test func `each input that was filled in is a word, before plain words`() {
        let pairs = [
            ("words", "Dune -- due:friday"), ("words.rating", "5"), ("words.format", ""),
            ("words.review", "one\r\ntwo: three"),
        ]
        #expect(words(pairs) == ["Dune", "rating:5", "review:one\ntwo: three", "--", "due:friday"])
    }

    @Test func `the words of inputs alone are enough, and none is an error`() {
        #expect(words([("words.title", "Dune")]) == ["title:Dune"])
        #expect(words([("words.title", "")]) == nil)
    }

    @Test func `of inputs with an initial value only changed ones are words, including emptied ones`() {
        let pairs = [
            ("words.title", "Dune"), ("was.words.title", Base.digest(of: "Dune")), ("words.due", ""),
            ("was.words.due", Base.digest(of: "2026-12-01")), ("words.rating", "4"),
            ("was.words.rating", Base.digest(of: "5")),
        ]
        #expect(words(pairs) == ["due:", "rating:4"])
    }

    @Test func `an unchecked box removes the field; fields that a form doesn't send are unchanged`() {
        let bases = [("was.words.lent", Base.digest(of: "true")), ("was.words.due", Base.digest(of: "2026-12-01"))]
        #expect(words(bases) == ["lent:"])
        #expect(words(bases + [("words.lent", "true"), ("words.rating", "1")]) == ["rating:1"])
    }

    @Test func `an invalid name makes no word`() {
        #expect(words([("words.title", "a"), ("words.--", "x"), ("words.a b", "x"), ("words.", "")]) == ["title:a"])
    }
}
