import Book
import ControllerKit
import Records
import SatchelApp

/// Satchel's client with books: prompt, single commands, page and sync. With `--view json` it reads JSON lines, with
/// `--view mcp` it serves assistants.
@main
struct Shelf: ClientMain {
    static let client = ClientProgram(
        Program(name: "Shelf", command: "shelf", version: "1.0"), types: .standard.adding(.book))
}
