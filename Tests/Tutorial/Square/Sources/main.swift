import ControllerKit
import Foundation
import JSONLinesView
import LineView
import Terminal
import WebPageView

let catalog = try Catalog([
    .screen(SquareScreen.self) { _ in SquareController() }
])
let square = Program(name: "Square", command: "square", version: "1")
let terminal = SystemTerminal(program: square.command, environment: ProcessInfo.processInfo.environment)

switch Array(CommandLine.arguments.dropFirst()) {
case [], ["--view", "line"]:
    let json = JSONLinesSession(catalog, version: "1") { try await terminal.write($0 + "\n", to: .data) }
    exit(
        try await LineSession(catalog, of: square, terminal: terminal, others: [json]).run(prompt: "square> ").rawValue)
case ["--view", "json"]:
    let session = JSONLinesSession(catalog, version: "1") { try await terminal.write($0 + "\n", to: .data) }
    try await session.run(terminal.chunks)
case ["--view", "web"]:
    let page = try WebPage(catalog, design: PageDesign(square)) { print($0) }
    try await page.start(port: nil, endsBySignals: true)
    try await terminal.write(page.link() + "\n", to: .data)
    try await page.wait()
default:
    print("usage: square [--view line|json|web]")
    exit(CommandStatus.usage.rawValue)
}
