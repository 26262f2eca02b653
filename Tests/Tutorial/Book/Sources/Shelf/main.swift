import Book
import ControllerKit
import Foundation
import Records
import SatchelApp

// Satchel's client with books: prompt, single commands, JSON lines, page, assistants and sync.
let shelf = ClientProgram(
    Program(name: "Shelf", command: "shelf", version: "1.0"), types: .standard.adding(.book))
let environment = ProcessInfo.processInfo.environment
let words = Array(CommandLine.arguments.dropFirst())
let status: CommandStatus
if words.count == 3, words[0] == "--home", words[2] == "--background-sync" {
    // A command starts this process to send its edits.
    status = await ClientConfiguration(shelf, home: words[1], environment: environment)
        .runInBackground(environment: environment)
} else {
    status = await ClientConfiguration(shelf, environment: environment).run(words, environment: environment)
}
exit(status.rawValue)
