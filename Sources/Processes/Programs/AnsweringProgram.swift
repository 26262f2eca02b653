import Foundation
import PrivateFiles

/// A program that reads a short text from its standard input and answers with a short text, such as a credential helper.
///
/// Input and output may be secrets. They are in shared memory without a name, so they are never on a disk, and a program
/// that doesn't read its input, or leaves a child with its output open, delays nothing.
public struct AnsweringProgram: Sendable {
    /// The time that it may run: a person may have to type a passphrase.
    public static let timeLimit = Duration.seconds(60)
    /// The limit of its output and of its messages, in bytes each.
    public static let outputLimit = 64 << 10

    private let words: [String]
    private let folder: String
    private let timeLimit: Duration

    /// Creates a program.
    ///
    /// - Parameters:
    ///   - words: The name of the program, which is looked up in PATH, or its path; then its first arguments.
    ///   - folder: The working directory.
    ///   - timeLimit: The time that it may run.
    public init(_ words: [String], in folder: String, timeLimit: Duration = timeLimit) {
        (self.words, self.folder, self.timeLimit) = (words, folder, timeLimit)
    }

    /// The result of a run.
    public struct Outcome: Sendable, Equatable {
        /// The standard output; invalid UTF-8 is replaced.
        public var output = ""
        /// The standard error; invalid UTF-8 is replaced.
        public var messages = ""
        /// The failure as a clause, such as `ended with status 1`; nil: none.
        public var failure: String?
    }

    /// Why the program can't be run, as a clause, as far as that is known without running it; nil: nothing is known.
    public var obstacle: String? {
        // Without the variable, the shell has folders of its own.
        guard let name = words.first, let path = ProcessInfo.processInfo.environment["PATH"] else { return nil }
        let isPath = name.contains("/")
        // An empty folder of PATH is the working directory, which is `folder`.
        let folders = path.split(separator: ":", omittingEmptySubsequences: false)
        let paths = isPath ? [name] : folders.map { $0.isEmpty ? name : "\($0)/\(name)" }
        if paths.contains(where: { Self.isProgram($0.hasPrefix("/") ? $0 : "\(folder)/\($0)") }) { return nil }
        return isPath ? "isn't a program that can be run" : "isn't a program in PATH"
    }

    private static func isProgram(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
            && FileManager.default.isExecutableFile(atPath: path)
    }

    /// Runs the program with further arguments until it ends or a limit is reached. Cancelling the task ends it, too.
    public func run(_ arguments: [String], input: String) async -> Outcome {
        do {
            let (question, answer, messages) = (try SharedText(input), try SharedText(), try SharedText())
            let run = ProgramRun(
                // Opened by path, so that the program has the files in place of its standard ones only.
                script: "exec <\"$2\" >\"$3\" 2>\"$4\"; cd -- \"$1\" || exit; shift 4; exec \"$@\"",
                arguments: [folder, question.path, answer.path, messages.path] + words + arguments,
                // A secret that is being stored when Ctrl-C ends this process must not be lost.
                timeLimit: timeLimit, passesSignals: false,
                exceedsOutput: { [answer, messages] in
                    answer.size > Self.outputLimit || messages.size > Self.outputLimit
                })
            var failure = await run.failure()
            // It may have ended before its output was looked at.
            if failure == nil, answer.size > Self.outputLimit { failure = "printed too much" }
            return Outcome(
                output: answer.beginning(Self.outputLimit), messages: messages.beginning(Self.outputLimit),
                failure: failure)
        } catch {
            return Outcome(failure: "can't be run: \(error.reason)")
        }
    }
}

/// A text in shared memory whose name was removed, so that only its descriptor, and the path of that in /proc, lead to it.
private final class SharedText: Sendable {
    private let descriptor: Int32

    init(_ text: String = "") throws(FileFailure) {
        let name = "/\(UUID().uuidString)"
        descriptor = shm_open(name, O_RDWR | O_CREAT | O_EXCL, 0o600)
        guard descriptor >= 0 else { throw FileFailure(path: name, code: errno) }
        // Before anything is written: shm_open(3) has already set FD_CLOEXEC.
        shm_unlink(name)
        try PrivateFile.write(text.utf8, to: descriptor, name)
    }

    deinit { close(descriptor) }

    /// A path that opens the text for the processes of this user while it exists.
    var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

    /// The size in bytes.
    var size: Int {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Returns the first bytes, at most `limit`.
    func beginning(_ limit: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = pread(descriptor, &bytes, limit, 0)
        return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
    }
}
