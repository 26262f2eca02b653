public import ControllerKit
internal import Controllers
internal import Foundation
internal import LineView
internal import LocalStore
public import Terminal

// A process of a client: the live services, the system's terminal, and errors as messages.
extension ClientConfiguration {
    /// Returns the terminal of the process. Its history and the texts of its editor are in the home.
    @MainActor
    public func systemTerminal(environment: [String: String]) -> SystemTerminal {
        SystemTerminal(
            program: client.program.command, environment: environment, history: home.history, drafts: home.drafts)
    }

    /// Runs a front end: one command, or a session if there are no words. An error is shown as a message.
    ///
    /// - Parameters:
    ///   - words: The command of the process; empty: none.
    ///   - view: The front end; by default the prompt.
    /// - Returns: The status with which the process exits.
    @MainActor
    public func run(
        _ words: [String], in view: ClientView = .line, environment: [String: String]
    ) async -> CommandStatus {
        let terminal = systemTerminal(environment: environment)
        return await reported(on: terminal) {
            // `help` works without a home and with a damaged one, and creates none.
            if view.type.ownsCommand, LineSession.needsNoHome(words) {
                return try await ClientApp.explain(words, of: client, on: terminal)
            }
            return try await liveApp(on: terminal, environment).run(view, words)
        }
    }

    /// Runs the background process, which sends unsent edits and receives changes. ``ClientApp`` starts it with the
    /// arguments `--home DIR --background-sync`, followed by `--ca-file FILE` if certificates are configured.
    ///
    /// - Returns: The status with which the process exits.
    @MainActor
    public func runInBackground(environment: [String: String]) async -> CommandStatus {
        let terminal = systemTerminal(environment: environment)
        return await reported(on: terminal) {
            try await liveApp(on: terminal, environment).runInBackground()
            return .ok
        }
    }

    @MainActor
    private func liveApp(on terminal: SystemTerminal, _ environment: [String: String]) async throws -> ClientApp {
        let isNew = !FileManager.default.fileExists(atPath: home.cache.path)
        let app = ClientApp(
            try await liveServices(), self, terminal: terminal, input: terminal.chunks, environment: environment)
        app.isNewHome = isNew
        return app
    }

    @MainActor
    private func reported(
        on terminal: SystemTerminal, _ body: () async throws -> CommandStatus
    ) async -> CommandStatus {
        do { return try await body() } catch {
            let failure = Failure(error)
            // If the error output is closed, the exit status still reports the failure.
            try? await terminal.writeMessage(failure.message)
            return CommandStatus(failure.category)
        }
    }
}
