import ControllerKit
import Controllers
import Foundation
import LocalStore
import Locking
import Processes
import Terminal

/// The hooks of a home during the life of this process.
struct HomeHooks {
    private let runner: HookRunner
    private let terminal: any LineTerminal
    fileprivate let hooks: Hooks

    /// Creates the hooks of a home; nil if its folder `hooks` doesn't exist or the process has the option `--no-hooks`,
    /// and nil in a process that a hook has started, which would otherwise start itself without end.
    ///
    /// - Parameter words: The command of the process; empty: none.
    init?(_ configuration: ClientConfiguration, on terminal: any LineTerminal, words: [String] = []) {
        let (home, variables) = (configuration.home, configuration.client.hookVariables)
        let folder = HookFolder(path: home.hooks.path)
        guard configuration.runsHooks, folder.exists, ProcessInfo.processInfo.environment[variables.hook] == nil else {
            return nil
        }
        let runner = HookRunner(folder, home: home.directory.path, variables: variables)
        (self.runner, self.terminal) = (runner, terminal)
        hooks = Hooks(
            run: { runner.run(.init(program: $0.event.afterProgramName, lines: $0.lines)) },
            inspect: { Self.inspect(folder) },
            review: Self.review(
                folder, runner, in: home.directory.path, variables,
                advice: Self.advice(configuration.client.program, words)))
    }

    /// Returns the programs that review edits. A file that must not be run is reported once.
    private static func review(
        _ folder: HookFolder, _ runner: HookRunner, in home: String, _ variables: HookRunner.Variables, advice: String
    ) -> ReviewPrograms {
        let reported = Locked<Set<String>>([])
        return ReviewPrograms(
            programs: { event in
                guard let name = event.reviewProgramName else { return [] }
                let listing = folder.listing(of: name)
                for refusal in listing.refused where reported.withLock({ $0.insert(refusal.path).inserted }) {
                    runner.report("\(refusal.path) isn't run: it \(refusal.reason).")
                }
                return listing.programs
            },
            run: { path, lines in
                let name = URL(fileURLWithPath: path).lastPathComponent
                let program = HookProgram(
                    path: path, in: home, environment: [variables.home: home, variables.hook: name],
                    outputLimit: HookProgram.reviewOutputLimit)
                let outcome = await program.run(lines.map { $0 + "\n" }.joined())
                let excess = outcome.isCut ? "printed more than \(HookProgram.reviewOutputLimit >> 20) MiB" : nil
                return HookResult(name, output: outcome.output, failure: outcome.failure ?? excess)
            },
            timeLimit: HookProgram.timeLimit, report: { runner.report($0) }, advice: advice)
    }

    /// Returns how a command is performed without hooks.
    private static func advice(_ program: Program, _ words: [String]) -> String {
        let start = [program.command, "--no-hooks"]
        if words.isEmpty {
            return "To continue without hooks, run `\(CommandWords.joined(start))` and repeat the command."
        }
        return "To continue without hooks, type: \(CommandWords.joined(start + words))"
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
        let names = HookEvent.allCases.flatMap { [$0.reviewProgramName, $0.afterProgramName].compactMap(\.self) }
        let listings = names.map { folder.listing(of: $0) }
        var faults: [HookFault] = []
        for refusal in listings.flatMap(\.refused) {
            let fault = HookFault(path: refusal.path, reason: refusal.reason)
            // A refused folder is in the listings of several events.
            if !faults.contains(fault) { faults.append(fault) }
        }
        for name in folder.strangers(among: names) {
            let reason = "has no event of this name; the names are \(names.joined(separator: ", "))"
            faults.append(HookFault(path: folder.path + "/" + name, reason: reason))
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
