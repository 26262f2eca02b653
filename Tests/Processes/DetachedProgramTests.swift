import Foundation
import Processes
import Testing

@Suite("A detached program", .timeLimit(.minutes(5)))
struct DetachedProgramTests {
    /// Runs a shell that reports about itself in a file, and returns the lines.
    private func report(by script: String) async throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appending(path: "detached-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        // The file appears when it is complete.
        let whole = "{ \(script); } >\"$0.part\"; mv \"$0.part\" \"$0\""
        try DetachedProgram(path: "/bin/sh", arguments: ["-c", whole, file.path]).start()
        while !FileManager.default.fileExists(atPath: file.path) { try await Task.sleep(for: .milliseconds(5)) }
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test("It is in its own session")
    func session() async throws {
        // The sixth field is the session, the first the process (proc(5)).
        let fields = try await report(by: "cat /proc/$$/stat")[0].split(separator: " ")
        #expect(fields[0] == fields[5])
        #expect(fields[5] != "\(getsid(0))")
    }

    @Test("Its standard files are /dev/null, and it inherits no other file of this process")
    func files() async throws {
        let pipe = Pipe()
        defer { withExtendedLifetime(pipe) {} }
        let kept = dup(pipe.fileHandleForWriting.fileDescriptor)
        defer { close(kept) }
        let links = try await report(by: "exec 3>&1; for f in 0 2; do readlink /proc/$$/fd/$f; done; ls /proc/$$/fd")
        #expect(links[0...1] == ["/dev/null", "/dev/null"])
        #expect(!links[2...].contains("\(kept)"))
    }

    @Test("A missing program is a failure that names it")
    func missing() {
        #expect {
            try DetachedProgram(path: "/no/such/program", arguments: []).start()
        } throws: { error in
            (error as? LaunchFailure)?.description.contains("/no/such/program") == true
        }
    }
}
