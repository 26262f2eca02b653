import Foundation
import PrivateFiles

/// A program that reads a text from its standard input and whose output is collected.
///
/// Input and output are files without a name in the temporary directory. So a program that doesn't read its input, or
/// leaves a child with its output open, delays nothing, and no file remains, however the processes end. `ProgramRun`
/// describes how it is run.
public struct HookProgram: Sendable {
    /// The time that it may run.
    public static let timeLimit = Duration.seconds(30)
    /// The limit of the output in bytes, if it is only shown.
    public static let outputLimit = 16 << 10
    /// The limit of an output with records, in bytes.
    public static let reviewOutputLimit = 16 << 20

    private let path: String
    private let folder: String
    private let environment: [String: String]
    private let timeLimit: Duration
    private let outputLimit: Int

    /// Creates a program.
    ///
    /// - Parameters:
    ///   - path: The path of the program.
    ///   - folder: The working directory.
    ///   - environment: Variables in addition to this process's environment.
    ///   - timeLimit: The time that it may run.
    ///   - outputLimit: The limit of the output in bytes.
    public init(
        path: String, in folder: String, environment: [String: String], timeLimit: Duration = timeLimit,
        outputLimit: Int = outputLimit
    ) {
        (self.path, self.folder, self.environment) = (path, folder, environment)
        (self.timeLimit, self.outputLimit) = (timeLimit, outputLimit)
    }

    /// The result of a run.
    public struct Outcome: Sendable, Equatable {
        /// The standard output and error, cut at the limit; invalid UTF-8 is replaced.
        public var output = ""
        /// Whether there was more output than the limit.
        public var isCut = false
        /// The failure as a clause, such as `ended with status 1`; nil: none.
        public var failure: String?
    }

    /// Runs the program until it ends or its time is over. Cancelling the task ends it, too.
    public func run(_ input: String) async -> Outcome {
        do {
            let (question, answer) = (try UnnamedFile(input), try UnnamedFile())
            let run = ProgramRun(
                // Opened by path, so that the program has the files in place of its standard ones only. The last `exec`
                // makes the status that of the program.
                script: "exec <\"$3\" >\"$4\" 2>&1; cd -- \"$2\" && exec \"$1\"",
                arguments: [path, folder, question.path, answer.path], environment: environment, timeLimit: timeLimit)
            let failure = await run.failure()
            let (output, isCut) = answer.text(limit: outputLimit)
            return Outcome(output: output, isCut: isCut, failure: failure)
        } catch {
            return Outcome(failure: "can't be run: \(error.reason)")
        }
    }
}

/// A file without a name, so that only its descriptor, and the path of that in /proc, lead to it: it is gone when this
/// process and the program have ended, however they end.
private final class UnnamedFile: Sendable {
    private let descriptor: Int32

    init(_ text: String = "") throws(FileFailure) {
        let name = FileManager.default.temporaryDirectory.appending(path: "hook-\(UUID().uuidString)").path
        descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileFailure(path: name, code: errno) }
        // Before anything is written: the process may be ended at any time.
        unlink(name)
        try PrivateFile.write(text.utf8, to: descriptor, name)
    }

    deinit { close(descriptor) }

    /// A path that opens the file for the processes of this user while it exists.
    var path: String { "/proc/\(getpid())/fd/\(descriptor)" }

    /// Returns the text so far, and whether it was cut at the limit.
    func text(limit: Int) -> (text: String, isCut: Bool) {
        // One byte more than the limit shows whether it was exceeded. Output that can't be read is omitted.
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit + 1, 1 << 16))
        while bytes.count <= limit {
            let count = pread(descriptor, &chunk, min(chunk.count, limit + 1 - bytes.count), off_t(bytes.count))
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        let text = String(decoding: bytes.prefix(limit), as: UTF8.self)
        return bytes.count > limit ? (text + "\n… (cut)", true) : (text, false)
    }
}
