import Book
import ControllerKit
import Foundation
import Records
import SatchelApp

// Satchel's client with books: prompt, single commands, page and sync. With `--view json` it reads JSON lines, with
// `--view mcp` it serves assistants.
let shelf = ClientProgram(
    Program(name: "Shelf", command: "shelf", version: "1.0"), types: .standard.adding(.book))
let environment = ProcessInfo.processInfo.environment
var words = Array(CommandLine.arguments.dropFirst())

/// Removes an option from the beginning of the arguments and returns its value.
@MainActor
func option(_ name: String) -> String? {
    guard words.count >= 2, words[0] == name else { return nil }
    defer { words.removeFirst(2) }
    return words[1]
}

let configuration = ClientConfiguration(shelf, home: option("--home"), environment: environment)
let view = option("--view").flatMap { name in ClientApp.views.first { $0.type.name == name } } ?? ClientApp.views[0]
// A command starts the program with `--background-sync` to send its edits.
let status =
    words.first == "--background-sync"
    ? await configuration.runInBackground(environment: environment)
    : await configuration.run(words, in: view, environment: environment)
exit(status.rawValue)
