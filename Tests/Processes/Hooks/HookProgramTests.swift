import Foundation
import Testing

@testable import Processes

@Suite("A hook", .timeLimit(.minutes(5)), .serialized)
struct HookProgramTests {
    private func run(
        _ script: String, _ input: String = "", limit: Duration = .seconds(300)
    ) async throws -> (HookProgram.Outcome, HookScripts) {
        let scripts = try HookScripts()
        let path = try scripts.write("on-add", script)
        let program = HookProgram(
            path: path, in: scripts.home.path, environment: ["SATCHEL_TESTED": "yes"], timeLimit: limit)
        return (await program.run(input), scripts)
    }

    @Test("It receives its input, its folder and its environment, and both of its outputs are passed on")
    func reporting() async throws {
        let (outcome, scripts) = try await run("pwd; echo $SATCHEL_TESTED >&2; cat", "one\ntwo\n")
        #expect(outcome == .init(output: "\(scripts.home.path)\nyes\none\ntwo\n"))
    }

    @Test("A program that exits with another status than 0 is a failure, and so is one that can't be run")
    func failing() async throws {
        #expect(try await run("echo no; exit 3").0 == .init(output: "no\n", failure: "ended with status 3"))
        let missing = HookProgram(path: "/no/such/hook", in: "/", environment: [:])
        #expect(await missing.run("").failure?.hasPrefix("ended with") == true)
    }

    @Test("A program that doesn't read a large input, or whose child keeps its output open, blocks nothing")
    func unread() async throws {
        let large = String(repeating: "long line\n", count: 200_000)
        #expect(try await run("exit 0", large).0 == .init())
        let (outcome, scripts) = try await run("sleep 1000 & echo $! >child; echo done")
        #expect(outcome == .init(output: "done\n"))
        let child = try #require(Int32(try scripts.text("child").trimmingCharacters(in: .whitespacesAndNewlines)))
        kill(child, SIGKILL)
    }

    @Test("Long output is passed on up to a limit, with a note that there was more")
    func long() async throws {
        let (outcome, _) = try await run("head -c 1000000 /dev/zero | tr '\\0' x")
        #expect(outcome.output.utf8.count < HookProgram.outputLimit + 100 && outcome.output.hasSuffix("(cut)"))
    }

    @Test("When its time limit is over it is ended with all its children, even if it ignores signals")
    func overtime() async throws {
        let script = "trap '' TERM; sleep 1000 & echo $! >child; echo $$ >self; while :; do sleep 1; done"
        let (outcome, scripts) = try await run(script, limit: .milliseconds(1_500))
        #expect(outcome.failure?.contains("took longer") == true)
        for name in ["self", "child"] {
            let process = try #require(Int32(try scripts.text(name).trimmingCharacters(in: .whitespacesAndNewlines)))
            // A zombie without a waiting parent has ended as well.
            while kill(process, 0) == 0, !isZombie(process) { try await Task.sleep(for: .milliseconds(5)) }
        }
    }

    private func isZombie(_ process: Int32) -> Bool {
        let state = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return state?.contains(") Z ") ?? true
    }

    @Test("It is interrupted with the task that runs it")
    func interrupted() async throws {
        let scripts = try HookScripts()
        let path = try scripts.write("on-add", "echo x >started; exec sleep 1000")
        let program = HookProgram(path: path, in: scripts.home.path, environment: [:])
        let run = Task { await program.run("") }
        while (try? scripts.text("started")) != "x\n" { try await Task.sleep(for: .milliseconds(5)) }
        run.cancel()
        #expect(await run.value.failure == "was interrupted")
    }

    @Test("It has its own process group, and of this process's files only its input and output")
    func inheritance() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        let lock = open(path, O_CREAT | O_RDWR, 0o600)
        unlink(path)
        defer { close(lock) }
        let (outcome, _) = try await run("cut -d' ' -f1,5 /proc/$$/stat; ls /proc/$$/fd | tr '\\n' ' '")
        let lines = outcome.output.split(separator: "\n")
        let ids = lines[0].split(separator: " ")
        #expect(ids[0] == ids[1])
        #expect(!lines[1].split(separator: " ").contains("\(lock)"))
    }
}

/// A home with a folder of hooks, removed when the test releases it.
final class HookScripts: Sendable {
    let home = FileManager.default.temporaryDirectory.appending(path: "hooks-\(UUID().uuidString)")

    var folder: String { home.appending(path: "hooks").path }

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    }

    deinit { try? FileManager.default.removeItem(at: home) }

    /// Writes a shell script, and returns its path.
    @discardableResult
    func write(_ name: String, _ script: String, mode: Int = 0o755) throws -> String {
        let path = folder + "/" + name
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        return path
    }

    /// What a script has written into a file in the home.
    func text(_ name: String) throws -> String {
        try String(contentsOf: home.appending(path: name), encoding: .utf8)
    }
}
