import Testing

@testable import LineView

@Suite("Pasted lines")
struct PastedCommandsTests {
    @Test(
        "Each line is a command; an open quote continues on the next line; an incomplete command is never performed",
        arguments: [
            ("", [""]), ("list", ["list"]), ("add One\nadd Two", ["add One", "add Two"]),
            ("list\n\nlist", ["list", "", "list"]),
            ("add One body:\"a\nb\"\nlist", ["add One body:\"a\nb\"", "list"]),
            ("add \"One\nlist", ["add \"One\nlist"]),
            ("add don't\nlist", ["add don't", "list"]),
        ])
    func commands(text: String, commands: [String]) { #expect(PastedCommands.commands(in: text) == commands) }
}
