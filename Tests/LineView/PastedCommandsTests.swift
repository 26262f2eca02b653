import Testing

@testable import LineView

@Suite("Lines that are entered at once")
struct PastedCommandsTests {
    @Test(
        "Each line is a command; one that ends within quotes goes on with the next; half a command is never one",
        arguments: [
            ("", [""]), ("list", ["list"]), ("add One\nadd Two", ["add One", "add Two"]),
            ("list\n\nlist", ["list", "", "list"]),
            ("add One body:\"a\nb\"\nlist", ["add One body:\"a\nb\"", "list"]),
            ("add \"One\nlist", ["add \"One\nlist"]),
            ("add don't\nlist", ["add don't", "list"]),
        ])
    func commands(text: String, commands: [String]) { #expect(PastedCommands.commands(in: text) == commands) }
}
