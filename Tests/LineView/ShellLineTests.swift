import Testing

@testable import LineView

@Suite("A shell's line, split into words")
struct ShellLineTests {
    private static let bash = " \t\n\"'@><=;|&(:"

    @Test(
        "Quotes group anywhere, backslashes escape the next character",
        arguments: [
            ("satchel add Buy", ["satchel", "add"], "Buy"), ("satchel add ", ["satchel", "add"], ""),
            (#"satchel add "Buy milk" pro"ject:Big h"#, ["satchel", "add", "Buy milk"], "project:Big h"),
            (#"satchel add Buy\ milk \"#, ["satchel", "add", "Buy milk"], #"\"#),
            (#"satchel add 'it'\''s' "a\"b\c""#, ["satchel", "add", "it's"], #"a"b\c"#),
            ("satchel add '' x", ["satchel", "add", ""], "x"), ("", [], ""),
        ])
    func words(line: String, words: [String], word: String) {
        let read = ShellLine(line)
        #expect(read.words == words)
        #expect(read.word == word)
    }

    @Test(
        "Bash keeps what is before a character at which it splits words, or before an open quote",
        arguments: [
            ("x project:Big", "project:", nil), (#"x project:Big\ h"#, "project:", nil), ("x a:b:c", "a:b:", nil),
            (#"x "project:Big h"#, "", "\""), (#"x project:"Big h"#, "project:", "\""), ("x 'it", "", "'"),
            ("x +shop", "", nil),
        ] as [(String, String, Character?)])
    func kept(line: String, kept: String, quote: Character?) {
        let read = ShellLine(line, breakingAt: Self.bash)
        #expect(read.kept == kept)
        #expect(read.quote == quote)
    }

    @Test(
        "Bash receives the rest of the word as it must be written there",
        arguments: [
            ("x project:Big", "project:Big house", #"Big\ house"#),
            (#"x "project:Big"#, "project:Big house", "project:Big house"),
            ("x it", "it's $5", #"it\'s\ \$5"#), (#"x "it"#, "it's $5", #"it's \$5"#), ("x 'it", "it's", #"it'\''s"#),
            ("x a:", "b", nil), ("x ", "a\nb", nil), ("x ", "Grüße", "Grüße"),
        ] as [(String, String, String?)])
    func replies(line: String, offer: String, reply: String?) {
        #expect(Shell.bash.reply(offer, completing: ShellLine(line, breakingAt: Self.bash)) == reply)
    }
}
