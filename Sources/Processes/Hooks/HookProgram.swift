import Foundation

/// A program that reads a text from its standard input and whose output is collected.
///
/// Input and output are files that only the user can read, and whose names are removed when the program begins. So a
/// program that doesn't read its input, or leaves a child with its output open, delays nothing. The files remain only if
/// this process is ended in the milliseconds before the program begins. `ProgramRun` describes how it is run.
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
            let files = try HookFiles(input)
            defer { files.remove() }
            let run = ProgramRun(
                // The last `exec` makes the status that of the program.
                script:
                    "exec <\"$3/input\" >\"$3/output\" 2>&1; rm -r -- \"$3\"; cd -- \"$2\" && exec \"$1\"",
                arguments: [path, folder, files.folder], environment: environment, timeLimit: timeLimit)
            let failure = await run.failure()
            let (output, isCut) = files.output(limit: outputLimit)
            return Outcome(output: output, isCut: isCut, failure: failure)
        } catch {
            return Outcome(failure: "can't be run: \(error.localizedDescription)")
        }
    }
}

/// The files `input` and `output` of a run, in a folder that only the user can read. The run removes the folder as soon
/// as it has opened them.
private struct HookFiles {
    private let place: URL
    private let outcome: FileHandle

    var folder: String { place.path }

    init(_ input: String) throws {
        place = FileManager.default.temporaryDirectory.appending(path: "hook-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: place, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        do {
            try Data(input.utf8).write(to: place.appending(path: "input"))
            try Data().write(to: place.appending(path: "output"))
            outcome = try FileHandle(forReadingFrom: place.appending(path: "output"))
        } catch {
            // The first error is thrown; the folder is in the temporary directory.
            try? FileManager.default.removeItem(at: place)
            throw error
        }
    }

    /// Returns the output so far, and whether it was cut at the limit.
    func output(limit: Int) -> (text: String, isCut: Bool) {
        // One byte more than the limit shows whether it was exceeded. Output that can't be read is omitted.
        let bytes = (try? outcome.read(upToCount: limit + 1)) ?? Data()
        let text = String(decoding: bytes.prefix(limit), as: UTF8.self)
        return bytes.count > limit ? (text + "\n… (cut)", true) : (text, false)
    }

    /// Removes the folder if the run couldn't do so. Errors are ignored, since it usually doesn't exist any more.
    func remove() {
        try? outcome.close()
        try? FileManager.default.removeItem(at: place)
    }
}
