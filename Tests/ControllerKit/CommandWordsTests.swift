import Testing

@testable import ControllerKit

@Suite("Command lines and their words")
struct CommandWordsTests {
    @Test(
        "A line is split into words; quotes group at a word's beginning and after : and =, elsewhere they are letters",
        arguments: [
            ("add  Buy milk ", ["add", "Buy", "milk"]), (#"add "Buy milk" +shop"#, ["add", "Buy milk", "+shop"]),
            (#"add don't project:"Big house""#, ["add", "don't", "project:Big house"]),
            (#"edit --title="a b" ''"#, ["edit", "--title=a b", ""]),
            (#"a\ b "c\"d" 'e\f' g\"#, ["a b", #"c"d"#, #"e\f"#, #"g\"#]), ("", []), ("  \t ", []),
        ] as [(String, [String])])
    func words(line: String, words: [String]) throws {
        #expect(try CommandWords.split(line) == words)
    }

    @Test("An unclosed quotation mark is refused; the message says what to do", arguments: ["\"", "'"])
    func openQuote(quote: String) {
        #expect(
            throws: Failure(
                .usage,
                "A quotation mark \(quote) is not closed. Close it, or write \\\(quote) for the character itself.")
        ) { try CommandWords.split("add \(quote)Buy") }
        #expect(CommandWords.splitUnclosed("add \(quote)Buy milk") == ["add", "Buy milk"])
    }

    @Test("For a line that is being typed, the word at its end and its notation are known")
    func unfinished() {
        let line = CommandWords.unfinished(#"add Buy project:"Big h"#)
        #expect(line == .init(words: ["add", "Buy"], word: "project:Big h", written: #"project:"Big h"#))
        #expect(CommandWords.unfinished("add ") == .init(words: ["add"], word: "", written: ""))
    }

    @Test(
        "Words are quoted where needed",
        arguments: [
            (["+shop", "due<eow", "don't", "a\"b"], "+shop due<eow don't a\"b"), (["oat milk"], "\"oat milk\""),
            (["project:Big house"], "project:\"Big house\""), (["due:next friday", "x"], "due:\"next friday\" x"),
            (["a\"b c"], "\"a\\\"b c\""), ([""], "\"\""), ([], ""), (["'tis"], "\"'tis\""), (["C:\\x"], "C:\"\\\\x\""),
        ] as [([String], String)])
    func joined(words: [String], line: String) {
        #expect(CommandWords.joined(words) == line)
    }

    @Test(
        "Joined words are split into the same words",
        arguments: [
            [
                "\"", "'", "\\", "a\\b", " ", "", "x:\"y", "x='y", "not:due:next friday", "--", "it's \"so\"", "a\nb",
                "é\u{301} x",
            ],
            ["\"\"", "''a", "a''", ":\"", "=' '", "title:\\", "\\\"", "日本 語"],
        ])
    func roundTrip(words: [String]) throws {
        #expect(try CommandWords.split(CommandWords.joined(words)) == words)
        for word in words { #expect(try CommandWords.split(CommandWords.quoted(word)) == [word]) }
    }
}
