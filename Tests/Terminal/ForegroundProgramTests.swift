import Foundation
import Testing

@testable import Terminal

@Suite("Programs in the foreground", .timeLimit(.minutes(5)), .serialized)
struct ForegroundProgramTests {
    @Test(
        "The editor is VISUAL, else EDITOR, else vi",
        arguments: [
            (["VISUAL": "emacs", "EDITOR": "ed"], "emacs"), (["VISUAL": "", "EDITOR": "ed"], "ed"), ([:], "vi"),
        ] as [([String: String], String)])
    func editor(environment: [String: String], command: String) {
        #expect(ForegroundProgram.editor(environment: environment).command == command)
    }

    @Test(
        "The pager is PAGER, else less; cat means none",
        arguments: [(["PAGER": "most"], "most"), ([:], "less -FRX"), (["PAGER": ""], nil), (["PAGER": "cat"], nil)]
            as [([String: String], String?)])
    func pager(environment: [String: String], command: String?) {
        #expect(ForegroundProgram.pager(environment: environment)?.command == command)
    }

    @Test("A text is edited in a file, by a command with arguments")
    func editing() async throws {
        #expect(
            try await ForegroundProgram("sed -i -e s/milk/bread/").edit("Buy milk\n", ending: "md") == "Buy bread\n")
    }

    @Test("An editor that fails changes nothing; the error names the file with its text")
    func failingEditor() async throws {
        await #expect(throws: ProgramFailure(command: "false", reason: "ended with status 1")) {
            try await ForegroundProgram("false").edit("a", ending: "md")
        }
        let failure = try await #require(throws: ProgramFailure.self) {
            try await ForegroundProgram("write() { echo b > \"$1\"; return 3; }; write").edit("a", ending: "md")
        }
        let leftover = try #require(failure.leftover)
        #expect(try String(contentsOfFile: leftover, encoding: .utf8) == "b\n")
        try FileManager.default.removeItem(at: URL(filePath: leftover).deletingLastPathComponent())
    }

    @Test("A refused text is kept in the file that the error names; an unchanged one isn't")
    func refusedText() async throws {
        struct No: Error {}
        let refused = try await #require(throws: RefusedDraft.self) {
            try await ForegroundProgram("sed -i -e s/a/b/").edit("a\n", ending: "md") { _ in throw No() }
        }
        #expect(refused.reason is No)
        #expect(try String(contentsOfFile: refused.leftover, encoding: .utf8) == "b\n")
        try FileManager.default.removeItem(at: URL(filePath: refused.leftover).deletingLastPathComponent())
        await #expect(throws: No.self) {
            try await ForegroundProgram("true").edit("a\n", ending: "md") { _ in throw No() }
        }
    }

    @Test("An editor that removes the file changes nothing")
    func removedFile() async throws {
        let reason = "removed the file with the text, so nothing was changed"
        await #expect(throws: ProgramFailure(command: "rm", reason: reason)) {
            try await ForegroundProgram("rm").edit("a", ending: "md")
        }
    }

    @Test("A missing program is reported")
    func missing() async throws {
        await #expect(throws: ProgramFailure(command: "2>/dev/null no-such-editor", reason: "ended with status 127")) {
            try await ForegroundProgram("2>/dev/null no-such-editor").edit("a", ending: "md")
        }
    }

    @Test("A pager may be quit before the end of a long text")
    func page() async throws {
        try await ForegroundProgram("head -c 1 >/dev/null; true").page(String(repeating: "long\n", count: 200_000))
    }

    @Test("A pager is configured for colours, as `less` requires, and gets the text as its input")
    func pagerInput() async throws {
        try await ForegroundProgram("test -n \"$LESS\" && grep -q '^milk$'").page("milk\n")
    }

    @Test("Ctrl-C ends the program in the foreground and not this process")
    func interrupt() async throws {
        // The shell sends it to both, as a terminal does to a foreground process group.
        await #expect(throws: ProgramFailure.self) {
            try await ForegroundProgram("kill -INT \(getpid()) $$; :").edit("a", ending: "md")
        }
    }
}
