import Foundation
import Testing

@testable import Processes

@Suite("Running hooks", .timeLimit(.minutes(5)), .serialized)
struct HookRunnerTests {
    private let variables = HookRunner.Variables(home: "SATCHEL_HOME", hook: "SATCHEL_HOOK")

    /// Runs jobs, and returns all messages.
    private func messages(
        _ scripts: HookScripts, limit: Duration = .seconds(300), _ jobs: [HookRunner.Job]
    ) async -> [String] {
        let runner = HookRunner(
            HookFolder(path: scripts.folder), home: scripts.home.path, variables: variables, timeLimit: limit)
        for job in jobs { runner.run(job) }
        await runner.finish()
        var messages: [String] = []
        for await message in runner.messages { messages.append(message) }
        return messages
    }

    @Test("Programs run one after the other, events in their order, each line with the program's name in front")
    func order() async throws {
        let scripts = try HookScripts()
        try scripts.write("on-add", "cat >>log; echo a >>log; echo \"$SATCHEL_HOOK $SATCHEL_HOME\"; echo two")
        try scripts.write("on-add-z", "echo z >>log")
        try scripts.write("on-sync", "cat >>log")
        let said = await messages(
            scripts,
            [
                .init(program: "on-sync", lines: ["0"]), .init(program: "on-add", lines: ["1", "2"]),
                .init(program: "on-add", lines: ["3"]),
            ])
        #expect(try scripts.text("log") == "0\n1\n2\na\nz\n3\na\nz\n")
        #expect(said == Array(repeating: "on-add: on-add \(scripts.home.path)\non-add: two", count: 2))
    }

    @Test("A program that fails is reported with its name, and the next one runs")
    func failing() async throws {
        let scripts = try HookScripts()
        try scripts.write("on-edit", "echo oops >&2; exit 1")
        try scripts.write("on-edit-b", "echo fine")
        let said = await messages(scripts, [.init(program: "on-edit", lines: ["x"])])
        #expect(
            said == [
                "on-edit: oops\non-edit ended with status 1. The edits are stored nevertheless.",
                "on-edit-b: fine",
            ])
    }

    @Test("A program that must not run is reported once")
    func refused() async throws {
        let scripts = try HookScripts()
        try scripts.write("on-add", "true", mode: 0o644)
        let said = await messages(scripts, Array(repeating: .init(program: "on-add", lines: ["x"]), count: 3))
        #expect(said.count == 1 && said[0].contains("on-add isn't run: it is not executable"))
    }

    @Test("An interruption while waiting ends the running program, and skips the rest")
    func interrupted() async throws {
        let scripts = try HookScripts()
        try scripts.write("on-add", "cat >>log; exec sleep 1000")
        let runner = HookRunner(HookFolder(path: scripts.folder), home: scripts.home.path, variables: variables)
        for line in ["1", "2"] { runner.run(.init(program: "on-add", lines: [line])) }
        let waiting = Task { await runner.finish() }
        while (try? scripts.text("log")) != "1\n" { try await Task.sleep(for: .milliseconds(5)) }
        waiting.cancel()
        await waiting.value
        #expect(try scripts.text("log") == "1\n")
    }
}
