internal import ControllerKit
internal import Controllers
internal import LineView
internal import LocalStore
public import Manual
internal import SatchelScreens

/// What `satchel --complete SHELL LINE [BREAKS]` prints, which the shells' scripts call: what the word at the end of a line
/// could be.
public struct ShellAnswer {
    private let shell: Shell
    private let line: String
    private let breaks: String

    /// Nil if the process was started for something else.
    public init?(_ arguments: some Collection<String>) {
        let arguments = Array(arguments)
        guard arguments.first == "--complete", arguments.count >= 3, let shell = Shell(rawValue: arguments[1]) else {
            return nil
        }
        self.shell = shell
        line = arguments[2]
        breaks = arguments.count > 3 ? arguments[3] : ""
    }

    /// The lines of the answer.
    ///
    /// - Parameter process: The options of the process itself.
    @MainActor
    public func lines(of process: CommandHelp, environment: [String: String]) async throws -> [String] {
        let command = ShellCommand(line, of: process, breakingAt: breaks)
        let home = Home.resolve(.satchel, option: command.options["home"], environment: environment)
        let services = try Services.looking(at: home)
        let completion = ShellCompletion(
            .satchel(try .satchel(services)), process: process,
            attachable: ClientApp.views.map { $0.type }.filter { $0.canBeAttached }.map { $0.name },
            completions: { await services.completions(of: $0, beginning: $1) })
        return await completion.answer(command, for: shell)
    }
}
