import Testing

@testable import Terminal

@Suite("Splitting a terminal's input into keys")
struct KeyDecoderTests {
    /// The keys of these pieces, each decoded before the next arrives; at the end the input is complete.
    private func keys(_ pieces: String...) -> [KeyDecoder.Key] { keys(pieces.map { Array($0.utf8) }) }

    private func keys(_ pieces: [[UInt8]]) -> [KeyDecoder.Key] {
        var decoder = KeyDecoder()
        var keys: [KeyDecoder.Key] = []
        for piece in pieces {
            decoder.append(piece)
            while let key = decoder.next(isAll: false) { keys.append(key) }
        }
        while let key = decoder.next(isAll: true) { keys.append(key) }
        return keys
    }

    private func typed(_ text: String) -> [KeyDecoder.Key] { text.unicodeScalars.map { .character($0) } }

    @Test("Letters of any script are keys, wherever their bytes are cut")
    func letters() {
        #expect(keys("aé日🙂") == typed("aé日🙂"))
        let cut = "é日🙂".utf8.map { [$0] }
        #expect(keys(cut) == typed("é日🙂"))
    }

    @Test("Invalid UTF-8 becomes U+FFFD, and what follows is read")
    func invalid() {
        #expect(keys([[0xFF, 0x61]]) == typed("\u{FFFD}a"))
        #expect(keys([[0xE6, 0x97]]) == typed("\u{FFFD}\u{FFFD}"))
        #expect(keys([[0xC3, 0x28]]) == typed("\u{FFFD}("))
    }

    @Test("Named keys are decoded as they arrive; a lone ESC waits only as long as more may follow")
    func sequences() {
        #expect(keys("\u{1B}[A") == typed("\u{1B}[A"))
        #expect(keys("\u{1B}", "[A") == typed("\u{1B}[A"))
        var decoder = KeyDecoder()
        decoder.append([0x1B])
        #expect(decoder.next(isAll: false) == nil)
        #expect(decoder.isUndecided)
        #expect(decoder.next(isAll: true) == .character("\u{1B}"))
        #expect(!decoder.isUndecided)
    }

    @Test("Ctrl-C and Ctrl-Z are keys; C1 controls are none")
    func controls() {
        #expect(keys("a\u{03}\u{1A}b") == typed("a") + [.interrupt, .suspend] + typed("b"))
        #expect(keys("a\u{9E}b") == typed("ab"))
    }

    @Test("A mark without a column is a text, since libedit counts one for each key")
    func marks() {
        #expect(keys("e\u{301}") == typed("e") + [.text("\u{301}")])
        #expect(keys("\u{202E}") == [.text("\u{202E}")])
    }

    @Test(
        "A bracketed paste is one text: line ends are line feeds; the last one and other controls are removed",
        arguments: [
            ("list", "list"), ("add One\radd Two\r", "add One\nadd Two"), ("a\r\nb\n\n", "a\nb"), ("\n\n", ""),
            ("a\u{1B}[31mb\tc\u{07}", "a[31mb\tc"), ("日本 é", "日本 é"),
        ])
    func paste(sent: String, text: String) {
        #expect(keys("x\u{1B}[200~\(sent)\u{1B}[201~y") == typed("x") + [.text(text)] + typed("y"))
    }

    @Test("A paste is whole wherever its bytes are cut")
    func cutPaste() {
        let bytes = Array("\u{1B}[200~a\r日\u{1B}[201~b".utf8)
        for index in bytes.indices {
            #expect(keys([Array(bytes[..<index]), Array(bytes[index...])]) == [.text("a\n日")] + typed("b"))
        }
    }

    @Test("Ctrl-C ends a paste whose end was lost, and a paste has a limit")
    func boundedPaste() {
        #expect(keys("\u{1B}[200~abc\u{03}d") == [.interrupt] + typed("d"))
        let long = String(repeating: "a", count: KeyDecoder.maximumPaste + 9)
        #expect(keys("\u{1B}[200~\(long)\u{1B}[201~") == [.text(String(long.dropLast(9)))])
    }
}
