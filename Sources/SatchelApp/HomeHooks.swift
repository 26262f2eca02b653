import Controllers
import Foundation
import LocalStore
import Processes
import Terminal

/// The hooks of a home during the life of this process.
struct HomeHooks {
    private let runner: HookRunner
    private let terminal: any LineTerminal
    fileprivate let hooks: Hooks

    /// Creates the hooks of a home; nil if its folder `hooks` doesn't exist, and nil in a process that a hook has
    /// started, which would otherwise start itself without end.
    init?(_ configuration: ClientConfiguration, on terminal: any LineTerminal) {
        let (home, variables) = (configuration.home, configuration.client.hookVariables)
        let folder = HookFolder(path: home.directory.appending(path: "hooks").path)
        guard folder.exists, ProcessInfo.processInfo.environment[variables.hook] == nil else {
            return nil
        }
        let runner = HookRunner(folder, home: home.directory.path, variables: variables)
        (self.runner, self.terminal) = (runner, terminal)
        hooks = Hooks(
            run: { runner.run(.init(event: $0.event.rawValue, lines: $0.lines)) },
            inspect: { Self.inspect(folder) })
    }

    /// Shows the output of the programs until all have ended. The process waits for the last one, which may end after
    /// the last command.
    func during<Result: Sendable>(_ body: @MainActor () async throws -> Result) async rethrows -> Result {
        let messages = Task { [runner, terminal] in
            for await message in runner.messages {
                // If the output is closed, the message cannot be reported.
                try? await terminal.writeMessage(message)
            }
        }
        let result: Result
        do { result = try await body() } catch {
            await end(messages)
            throw error
        }
        await end(messages)
        return result
    }

    private func end(_ messages: Task<Void, Never>) async {
        // This ends the stream of messages, for which the next line waits.
        await runner.finish()
        await messages.value
    }

    private static func inspect(_ folder: HookFolder) -> (count: Int, faults: [HookFault]) {
        let listings = HookEvent.allCases.map { folder.listing(of: $0.rawValue) }
        var faults: [HookFault] = []
        for refusal in listings.flatMap(\.refused) {
            let fault = HookFault(path: refusal.path, reason: refusal.reason)
            // A refused folder is in the listings of several events.
            if !faults.contains(fault) { faults.append(fault) }
        }
        return (listings.map(\.programs.count).reduce(0, +), faults)
    }
}

extension HomeHooks? {
    /// Returns the services with these hooks, if there are any.
    func added(to services: Services) -> Services { map { services.running($0.hooks) } ?? services }

    /// Runs `body`, and the hooks meanwhile if there are any.
    @MainActor
    func during<Result: Sendable>(_ body: @MainActor () async throws -> Result) async rethrows -> Result {
        guard let self else { return try await body() }
        return try await self.during(body)
    }
}
