import Foundation
import Testing

@testable import Processes

@Suite("A program that answers", .timeLimit(.minutes(5)), .serialized)
struct AnsweringProgramTests {
    private func run(
        _ script: String, _ arguments: [String] = [], input: String = "", limit: Duration = .seconds(300)
    ) async -> AnsweringProgram.Outcome {
        await AnsweringProgram(["sh", "-c", script, "sh"], in: "/", timeLimit: limit).run(arguments, input: input)
    }

    @Test("It receives its input, its arguments and its folder, and answer and messages are separate")
    func answering() async {
        let outcome = await run("echo message >&2; pwd; echo $1; cat", ["get"], input: "one\ntwo\n")
        #expect(outcome == .init(output: "/\nget\none\ntwo\n", messages: "message\n"))
    }

    @Test("A program that isn't installed, or exits with another status than 0, is a failure with its message")
    func failing() async {
        let missing = await AnsweringProgram(["no-such-program"], in: "/").run(["get"], input: "")
        #expect(missing.failure == "ended with status 127" && missing.messages.contains("no-such-program"))
        #expect(await run("echo locked >&2; exit 3") == .init(messages: "locked\n", failure: "ended with status 3"))
    }

    @Test("Whether a program can be found is known without running it")
    func obstacle() {
        #expect(AnsweringProgram(["sh", "-c", "exit 1"], in: "/").obstacle == nil)
        #expect(AnsweringProgram(["/bin/sh"], in: "/").obstacle == nil)
        #expect(AnsweringProgram(["./sh"], in: "/bin").obstacle == nil)
        #expect(AnsweringProgram(["./bin"], in: "/").obstacle == "isn't a program that can be run")
        #expect(AnsweringProgram(["no-such-program"], in: "/").obstacle == "isn't a program in PATH")
        #expect(AnsweringProgram(["/no/such/program"], in: "/").obstacle == "isn't a program that can be run")
    }

    @Test("A program that doesn't read a large input, or whose child keeps its output open, delays nothing")
    func unread() async throws {
        #expect(await run("exit 0", input: String(repeating: "line\n", count: 200_000)) == .init())
        let outcome = await run("sleep 1000 & echo $!")
        let child = try #require(Int32(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(outcome.failure == nil)
        kill(child, SIGKILL)
    }

    @Test("A program that prints without end is ended, and too long an answer isn't used")
    func endless() async {
        #expect(await run("yes").failure == "printed too much and was ended")
        let long = await run("head -c 70000 /dev/zero")
        #expect(long.failure?.hasPrefix("printed too much") == true)
    }

    @Test("When its time limit is over it is ended")
    func overtime() async {
        #expect(await run("sleep 1000", limit: .seconds(1)).failure == "took longer than 1 s and was ended")
    }

    @Test("Its input isn't in the file system")
    func secrets() async {
        let outcome = await run("readlink /proc/self/fd/0", input: "secret")
        #expect(outcome.output.hasPrefix("/dev/shm/") && outcome.output.contains("(deleted)"))
    }
}
