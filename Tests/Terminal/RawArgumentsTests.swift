import Terminal
import Testing

@Suite("The arguments of a process, in bytes")
struct RawArgumentsTests {
    @Test("Arguments that are not UTF-8 are refused, and the bytes are shown")
    func refused() {
        let arguments = RawArguments([Array("add".utf8), Array("caf".utf8) + [0xE9, 0x0A]])
        let failure = #expect(throws: TerminalError.self) { try arguments.check() }
        #expect(failure?.kind == .usage)
        #expect(failure?.message.hasPrefix("“caf\\xE9\\x0A” is not UTF-8 text.") == true)
    }

    @Test("Arguments of UTF-8 are accepted")
    func accepted() throws { try RawArguments([[], Array("café ✓".utf8)]).check() }
}
