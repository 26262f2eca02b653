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
        var environment = environment
        let theme: Theme? =
            switch settings.values.theme {
            case .auto, .none: nil
            case .dark: .dark
            case .light: .light
            case .neutral: .neutral
            case .basic: .basic
            }
        // As no-color.org defines it, so that the terminal has one rule.
        if settings.values.theme == .none { environment["NO_COLOR"] = "1" }
        let terminal = SystemTerminal(
            program: client.program.command, environment: environment, history: home.history, drafts: home.drafts,
            theme: theme)
        terminal.keep(home.ownFiles)
        return terminal
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
        if view.type.ownsCommand { await terminal.findTheme() }
        return await reported(on: terminal) {
            // `help` works without a home and with a damaged one, and creates none.
            if view.type.ownsCommand, LineSession.needsNoHome(words) {
                return try await ClientApp.explain(words, of: client, settings, on: terminal)
            }
            let isFirstCommand =
                view.type.ownsCommand && !words.isEmpty
                && !FileManager.default.fileExists(atPath: home.directory.path)
            let app = try await liveApp(of: words, in: view, on: terminal, environment)
            return try await status(of: words, in: view, app, isFirstCommand: isFirstCommand)
        }
    }

    /// Runs a command. If the first command in a home fails, the home isn't left behind.
    @MainActor
    private func status(
        of words: [String], in view: ClientView, _ app: ClientApp, isFirstCommand: Bool
    ) async throws -> CommandStatus {
        do {
            let status = try await app.run(view, words)
            if isFirstCommand, status != .ok { await app.removeUnusedHome() }
            return status
        } catch {
            if isFirstCommand { await app.removeUnusedHome() }
            throw error
        }
    }

    /// Runs the background process, which sends unsent edits and receives changes. ``ClientApp`` starts it with the
    /// arguments `--home DIR --background-sync`, followed by `--ca-file FILE` and `--config FILE` as its own command line
    /// has them.
    ///
    /// - Returns: The status with which the process exits.
    @MainActor
    public func runInBackground(environment: [String: String]) async -> CommandStatus {
        let terminal = systemTerminal(environment: environment)
        return await reported(on: terminal) {
            try settings.check(for: client.program)
            try await liveApp(try await liveServices(), on: terminal, environment).runInBackground()
            return .ok
        }
    }

    /// Returns the client for a command. If the command can store nothing, a home that doesn't exist isn't created.
    @MainActor
    private func liveApp(
        of words: [String], in view: ClientView, on terminal: SystemTerminal, _ environment: [String: String]
    ) async throws -> ClientApp {
        let isNew = !FileManager.default.fileExists(atPath: home.cache.path)
        // A home with other files, such as hooks or a session, is opened as usual.
        if view.type.ownsCommand, !FileManager.default.fileExists(atPath: home.directory.path) {
            let services = try servicesInMemory()
            if client.storesNothing(words, try client.screens(services)) {
                return liveApp(services, isNew: isNew, on: terminal, environment)
            }
        }
        return liveApp(try await liveServices(), isNew: isNew, on: terminal, environment)
    }

    @MainActor
    private func liveApp(
        _ services: Services, isNew: Bool = false, on terminal: SystemTerminal, _ environment: [String: String]
    ) -> ClientApp {
        let app = ClientApp(services, self, terminal: terminal, input: terminal.chunks, environment: environment)
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
