import ControllerKit
import Controllers
import Foundation
import LineView
import LocalStore
import Manual
import SatchelScreens

/// `satchel --complete SHELL LINE [BREAKS]`, which the shells' scripts call: what the word at the end of a line could be.
struct Completing {
    private let shell: Shell
    private let line: String
    private let breaks: String

    /// Nil if the process was started for something else.
    init?(_ arguments: some Collection<String>) {
        let arguments = Array(arguments)
        guard arguments.first == "--complete", arguments.count >= 3, let shell = Shell(rawValue: arguments[1]) else {
            return nil
        }
        self.shell = shell
        line = arguments[2]
        breaks = arguments.count > 3 ? arguments[3] : ""
    }

    /// Prints the answer. What goes wrong offers nothing: nobody waits for a message in the midst of a line.
    @MainActor
    func answer() async {
        guard let lines = try? await lines() else { return }
        FileHandle.standardOutput.write(Data(lines.map { $0 + "\n" }.joined().utf8))
    }

    @MainActor
    private func lines() async throws -> [String] {
        let process = try Satchel.help
        let command = ShellCommand(line, of: process, breakingAt: breaks)
        let environment = ProcessInfo.processInfo.environment
        let home = Home.resolve(option: command.options["home"], environment: environment)
        let services = try Services.looking(at: home)
        let completion = ShellCompletion(
            .standard(try .satchel(services)), process: process,
            media: Medium.all.compactMap { $0.besideLine == nil ? nil : $0.name },
            completions: { await services.completions(of: $0, beginning: $1) })
        return await completion.answer(command, for: shell)
    }
}
