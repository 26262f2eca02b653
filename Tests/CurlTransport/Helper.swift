import Backend
import Foundation
import Locking
import Testing
import TestSupport

/// A program that a test needs, started by posix_spawn: Foundation's `Process` can hang when tests use it at once.
final class Helper: Sendable {
    private let command: [String]
    private let process: pid_t
    private let output: Int32
    /// Its standard error, in a file whose name is already removed.
    private let errors: Int32
    private let status = Locked<Int32?>(nil)

    /// Starts it. `stop` ends it.
    ///
    /// - Throws: `MissingProgram`, `HelperFailed`.
    init(_ name: String, _ arguments: [String]) throws {
        let path = try TestProgram.path(of: name)
        command = [name] + arguments
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw HelperFailed(command: command, reason: "no pipe") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        output = ends[0]
        errors = try Self.namelessFile()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, errors, 2)
        var words = command.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var started: pid_t = 0
        let code = posix_spawn(&started, path, &actions, nil, &words, environ)
        guard code == 0 else { throw HelperFailed(command: command, reason: String(cString: strerror(code))) }
        process = started
    }

    deinit {
        close(output)
        close(errors)
    }

    /// Ends it and waits for its exit.
    func stop() {
        // SIGKILL: it has inherited the signal mask of a thread that blocks SIGTERM.
        if !hasEnded { kill(process, SIGKILL) }
        _ = wait(0)
    }

    /// Whether it has exited.
    var hasEnded: Bool { wait(WNOHANG) != nil }

    /// The error that it has failed, with its standard error.
    var failure: HelperFailed {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = max(pread(errors, &bytes, bytes.count, 0), 0)
        return HelperFailed(command: command, reason: String(decoding: bytes.prefix(count), as: UTF8.self))
    }

    /// The first line of its output.
    func firstLine() -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    /// Runs it until it exits.
    static func run(_ name: String, _ arguments: [String]) throws {
        let helper = try Helper(name, arguments)
        guard helper.wait(0) == 0 else { throw helper.failure }
    }

    /// Its status as of `waitpid`; nil while it runs.
    private func wait(_ options: Int32) -> Int32? {
        status.withLock { status in
            if status == nil {
                var value: Int32 = 0
                var ended = waitpid(process, &value, options)
                while ended < 0, errno == EINTR { ended = waitpid(process, &value, options) }
                if ended == process { status = value }
            }
            return status
        }
    }

    private static func namelessFile() throws -> Int32 {
        var name = Array("\(FileManager.default.temporaryDirectory.path)/satchel-XXXXXX".utf8CString)
        let file = mkstemp(&name)
        guard file >= 0 else { throw HelperFailed(command: ["mkstemp"], reason: String(cString: strerror(errno))) }
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        unlink(&name)
        return file
    }
}

/// A program that a test needs has failed.
struct HelperFailed: Error, CustomStringConvertible {
    let command: [String]
    /// Its standard error.
    let reason: String
    var description: String { "\(command.joined(separator: " ")) failed: \(reason)" }
}

@Suite("Programs that tests call")
struct HelperTests {
    @Test(
        "A missing program is reported with its Debian package",
        arguments: [
            ("nghttpd", "the program nghttpd is missing; on Debian: apt-get install nghttp2-server"),
            ("no-such-program", "the program no-such-program is missing"),
        ])
    func missing(name: String, message: String) {
        let error = #expect(throws: MissingProgram.self) {
            try TestProgram.path(of: name, on: "/nowhere")
        }
        #expect(error?.description == message)
    }

    @Test("A failed program is reported with its standard error")
    func failed() {
        let error = #expect(throws: HelperFailed.self) { try Helper.run("openssl", ["x509", "-in", "/nowhere/file"]) }
        #expect(error?.reason.contains("/nowhere/file") == true)
    }
}
