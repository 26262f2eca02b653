import Foundation
import Testing

@testable import Terminal

@Suite("The history")
struct HistoryTests {
    @Test("A line is read as it was entered, with its line ends and backslashes")
    func roundTrip() {
        var text = ""
        let lines = ["list", "add One\nadd Two", #"add C:\new \\ "quoted""#, "日本 é"]
        for line in lines {
            guard case .append(let entry) = HistoryText.enter(line, in: text) else {
                Issue.record("\(line) was not entered")
                return
            }
            text += entry
        }
        #expect(HistoryText.lines(in: text) == lines)
    }

    @Test(
        "A line is not stored if it repeats the last one, is empty, begins with a space or is very long",
        arguments: [
            "list", "", "   ", " add secret plan", String(repeating: "a", count: HistoryText.maximumLength + 1),
        ])
    func refused(line: String) {
        #expect(HistoryText.enter(line, in: "add milk\nlist\n") == .nothing)
    }

    @Test("A line that was entered before, but not last, is stored again")
    func again() { #expect(HistoryText.enter("add milk", in: "add milk\nlist\n") == .append("add milk\n")) }

    @Test("An entry that was cut by a crash damages no other entry")
    func cut() {
        #expect(HistoryText.enter("list", in: "add mi") == .append("\nlist\n"))
        #expect(HistoryText.lines(in: "add mi\nlist\n") == ["add mi", "list"])
    }

    @Test("A history that has grown to twice its limit is cut to the newest lines")
    func bound() {
        let text = (1...2 * HistoryText.kept).map { "add \($0)\n" }.joined()
        guard case .rewrite(let rest) = HistoryText.enter("list", in: text) else {
            Issue.record("It was not cut.")
            return
        }
        let lines = HistoryText.lines(in: rest)
        #expect(lines.count == HistoryText.kept)
        #expect(lines.first == "add \(HistoryText.kept + 2)")
        #expect(lines.last == "list")
    }

    private func withFile(_ body: (HistoryFile) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try body(HistoryFile(path: path))
    }

    @Test("The file is private to its owner, even if it was created otherwise")
    func mode() throws {
        try withFile { file in
            try Data("list\n".utf8).write(to: URL(filePath: file.path))
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            try file.enter("add milk")
            let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try file.lines() == ["list", "add milk"])
        }
    }

    @Test("Nothing is written through a symbolic link, neither when a line is entered nor when the file is cut")
    func links() throws {
        try withFile { file in
            let victim = file.path + ".victim"
            defer { for path in [victim, file.path + ".new"] { try? FileManager.default.removeItem(atPath: path) } }
            try Data("precious\n".utf8).write(to: URL(filePath: victim))
            try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: victim)
            let failure = #expect(throws: TerminalError.self) { try file.enter("add milk") }
            #expect(
                failure?.message
                    == "The history “\(file.path)” can't be opened: it is a symbolic link, which isn't followed.")
            try FileManager.default.removeItem(atPath: file.path)
            try FileManager.default.createSymbolicLink(atPath: file.path + ".new", withDestinationPath: victim)
            let old = (1...2 * HistoryText.kept).map { "add \($0)\n" }.joined()
            try Data(old.utf8).write(to: URL(filePath: file.path))
            try file.enter("add milk")
            #expect(try file.lines().count == HistoryText.kept)
            #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious\n")
        }
    }

    @Test("Lines entered concurrently are all stored, also while the file is cut")
    func several() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let old = (1...2 * HistoryText.kept - 20).map { "add \($0)\n" }.joined()
        try Data(old.utf8).write(to: URL(filePath: path))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<4 {
                group.addTask {
                    // On a busy machine the other writers may hold the lock for longer than a user would wait.
                    let file = HistoryFile(path: path, patience: .seconds(60))
                    for line in 0..<20 { try file.enter("list \(writer) \(line)") }
                }
            }
            try await group.waitForAll()
        }
        let lines = Set(try HistoryFile(path: path).lines())
        for writer in 0..<4 { for line in 0..<20 { #expect(lines.contains("list \(writer) \(line)")) } }
    }

    @Test("A line is not stored while another process has the file locked; the next one after that is")
    func locked() throws {
        try withFile { file in
            // A lock belongs to the open file: a second descriptor in this process excludes the first one, too.
            let other = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            defer { close(other) }
            #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
            try HistoryFile(path: file.path, patience: .milliseconds(30)).enter("list")
            #expect(try file.lines().isEmpty)
            flock(other, LOCK_UN)
            try file.enter("sync")
            #expect(try file.lines() == ["sync"])
        }
    }

    @Test("An inaccessible file is reported by name")
    func failure() {
        let file = HistoryFile(path: "/nowhere/history")
        #expect { try file.enter("list") } throws: {
            ($0 as? TerminalError)?.message.contains("“/nowhere/history”") == true
        }
    }
}
