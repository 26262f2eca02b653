import Foundation

/// A program that runs independently: in a session of its own, without this process's terminal and files, and without
/// a parent that waits for it. It starts in this process's working directory.
///
/// swift-subprocess waits for what it runs, so this is posix_spawn(3); it takes about a millisecond.
public struct DetachedProgram: Sendable, Equatable {
    private let path: String
    private let arguments: [String]

    /// A program by its path and arguments.
    public init(path: String, arguments: [String]) { (self.path, self.arguments) = (path, arguments) }

    /// This very program, also when its file has been moved or replaced meanwhile.
    public static func same(arguments: [String]) -> DetachedProgram {
        DetachedProgram(path: "/proc/self/exe", arguments: arguments)
    }

    /// Starts the program, which gets this process's environment.
    ///
    /// - Returns: its process id. It is this process's child as long as both live.
    /// - Throws: `LaunchFailure` when it can't be run.
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
        // A pipe that it kept open would never end for its reader.
        for descriptor in Self.openDescriptors where descriptor > STDERR_FILENO {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        posix_spawnattr_setflags(&attributes, Self.newSession)
        var process: pid_t = 0
        let code = CStrings([path] + arguments).withPointers {
            posix_spawn(&process, path, &actions, &attributes, $0, environ)
        }
        guard code == 0 else {
            throw LaunchFailure(path: path, reason: String(cString: strerror(code)))
        }
        return process
    }

    /// `POSIX_SPAWN_SETSID` of glibc's <spawn.h>, which shows it to GNU sources alone.
    private static let newSession: Int16 = 0x80

    private static var openDescriptors: [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { Int32($0) }
    }
}

/// Texts as C wants the arguments of a program: an array of pointers that ends with a null.
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
    /// What the system says.
    public let reason: String

    /// A message for the person.
    public var description: String { "“\(path)” can't be run: \(reason)." }
}
