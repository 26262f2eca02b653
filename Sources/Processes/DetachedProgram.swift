import Foundation
import PrivateFiles

/// A program that runs independently: in its own session, without this process's terminal and files. It starts in this
/// process's working directory, and no one waits for it.
///
/// It uses posix_spawn(3), which takes about a millisecond: swift-subprocess waits for what it runs.
public struct DetachedProgram: Sendable, Equatable {
    private let path: String
    private let arguments: [String]

    /// Creates a program with a path and arguments.
    public init(path: String, arguments: [String]) { (self.path, self.arguments) = (path, arguments) }

    /// Returns this program, even if its file was moved or replaced since.
    public static func same(arguments: [String]) -> DetachedProgram {
        DetachedProgram(path: "/proc/self/exe", arguments: arguments)
    }

    /// Starts the program with this process's environment.
    ///
    /// - Returns: Its process id. It is a child of this process while both run.
    /// - Throws: `LaunchFailure` if it can't be run.
    @discardableResult
    public func start() throws(LaunchFailure) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawnattr_init(&attributes)
        defer {
            posix_spawn_file_actions_destroy(&actions)
            posix_spawnattr_destroy(&attributes)
        }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        // A pipe that the program inherits would have no end for its reader. The descriptor of the listing itself is
        // already closed; glibc ignores that.
        for descriptor in Self.openDescriptors where descriptor > STDERR_FILENO {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        // Signals from the terminal then don't reach it.
        posix_spawnattr_setflags(&attributes, Self.newSession)
        var process: pid_t = 0
        let code = CStrings([path] + arguments).withPointers {
            posix_spawn(&process, path, &actions, &attributes, $0, environ)
        }
        guard code == 0 else {
            throw LaunchFailure(path: path, reason: SystemError.text(code))
        }
        return process
    }

    /// `POSIX_SPAWN_SETSID` of glibc, which <spawn.h> defines only with `_GNU_SOURCE`.
    private static let newSession: Int16 = 0x80

    private static var openDescriptors: [Int32] {
        // Without /proc, only descriptors with FD_CLOEXEC are closed.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { Int32($0) }
    }
}

/// Texts as a C array of arguments, which ends with a null pointer.
private struct CStrings {
    private let texts: [String]

    init(_ texts: [String]) { self.texts = texts }

    func withPointers<Result>(_ body: ([UnsafeMutablePointer<CChar>?]) -> Result) -> Result {
        let copies = texts.map { strdup($0) }
        defer { for copy in copies { free(copy) } }
        return body(copies + [nil])
    }
}

/// A program that can't be started.
public struct LaunchFailure: Error, Equatable, CustomStringConvertible {
    /// The program's path.
    public let path: String
    /// The system's error message.
    public let reason: String

    /// A message for the user.
    public var description: String { "“\(path)” can't be run: \(reason)." }
}
