import Foundation

/// A program that a test needs, by posix_spawn: Foundation's `Process` can wait for ever when several tests use it at once.
struct Helper {
    private let process: pid_t
    private let output: Int32

    /// Starts it; it is ended with `stop`.
    init(_ name: String, _ arguments: [String]) throws {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw HelperFailed(command: [name]) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        var words = ([name] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var started: pid_t = 0
        guard posix_spawnp(&started, name, &actions, nil, &words, environ) == 0 else {
            close(ends[0])
            throw HelperFailed(command: [name] + arguments)
        }
        (process, output) = (started, ends[0])
    }

    /// Ends it, and waits for that.
    func stop() {
        // Nothing gentler: it has inherited the signal mask of a thread that blocks SIGTERM.
        kill(process, SIGKILL)
        _ = wait()
    }

    /// The first line that it writes.
    func firstLine() -> String {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1, byte != UInt8(ascii: "\n") { line.append(byte) }
        return String(decoding: line, as: UTF8.self)
    }

    /// Runs it to its end.
    static func run(_ name: String, _ arguments: [String]) throws {
        guard try Helper(name, arguments).wait() == 0 else { throw HelperFailed(command: [name] + arguments) }
    }

    private func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        close(output)
        return status
    }
}

/// A program that a test needs has failed, or isn't there.
struct HelperFailed: Error {
    let command: [String]
}
