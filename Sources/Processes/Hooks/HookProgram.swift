import Foundation
import Subprocess

/// A program that receives its standard input as a text, and whose output is passed on.
///
/// Input and output are files that only the user can read, and that have no names any more when the program begins. So
/// a program that doesn't read its input, or leaves a child that keeps its output open, delays nothing, and no file
/// remains however this process ends. The program has a process group of its own, so that a key at the terminal
/// doesn't end it half-way, and all of the group ends with its time limit. It inherits no file but these:
/// swift-subprocess closes all others, locks among them.
public struct HookProgram: Sendable {
    /// How long it may run.
    public static let timeLimit = Duration.seconds(30)
    /// How many bytes of what it says are passed on.
    public static let outputLimit = 16 << 10
    /// From the request to end until it is forced to.
    private static let mercy = Duration.seconds(2)

    private let path: String
    private let folder: String
    private let environment: [String: String]
    private let timeLimit: Duration

    /// - Parameters:
    ///   - path: the program.
    ///   - folder: where it runs.
    ///   - environment: variables in addition to this process's environment.
    public init(path: String, in folder: String, environment: [String: String], timeLimit: Duration = timeLimit) {
        (self.path, self.folder, self.environment) = (path, folder, environment)
        self.timeLimit = timeLimit
    }

    /// What became of a run.
    public struct Outcome: Sendable, Equatable {
        /// What it said, to whichever output, cut at `outputLimit`; invalid UTF-8 is replaced.
        public var output = ""
        /// What went wrong, as a clause: `ended with status 1`; nil: nothing.
        public var failure: String?
    }

    /// Runs it to its end, or to that of its time; a cancelled task ends it, too.
    public func run(_ input: String) async -> Outcome {
        do {
            let files = try HookFiles(input)
            defer { files.remove() }
            let failure = await withTimeLimit { await runToItsEnd(files) }
            return Outcome(output: files.output(limit: Self.outputLimit), failure: failure)
        } catch {
            return Outcome(failure: "can't be run: \(error.localizedDescription)")
        }
    }

    /// - Returns: what went wrong.
    private func runToItsEnd(_ files: HookFiles) async -> String? {
        var options = PlatformOptions()
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: Self.mercy)
        ]
        let more = environment.map { (Environment.Key(rawValue: $0.key), $0.value) }
        let keyed = Dictionary(more.compactMap { key, value in key.map { ($0, String?.some(value)) } }) { $1 }
        do {
            let result = try await Subprocess.run(
                .name("sh"),
                arguments: [
                    "-c",
                    "exec <\"$3/input\" >\"$3/output\" 2>&1; rm -r -- \"$3\"; cd -- \"$2\" && exec \"$1\"", "sh", path,
                    folder, files.folder,
                ],
                environment: .inherit.updating(keyed), platformOptions: options, input: .none, output: .discarded,
                error: .discarded
            ) { execution in
                ProcessGroupGuard.shared.begin(execution.processIdentifier.value)
            }
            ProcessGroupGuard.shared.end()
            return result.terminationStatus.isSuccess ? nil : result.terminationStatus.clause
        } catch {
            ProcessGroupGuard.shared.end()
            return "can't be run: \(error)"
        }
    }

    private enum End: Sendable {
        case ended(failure: String?)
        case timeIsOver
    }

    /// - Returns: the result of `run`, or that it was interrupted.
    private func withTimeLimit(_ run: @escaping @Sendable () async -> String?) async -> String? {
        let end = await withTaskGroup(of: End.self, returning: End.self) { group in
            group.addTask { .ended(failure: await run()) }
            group.addTask { [timeLimit] in
                try? await Task.sleep(for: timeLimit)
                return .timeIsOver
            }
            let first = await group.next() ?? .timeIsOver
            group.cancelAll()
            await group.waitForAll()
            return first
        }
        if Task.isCancelled { return "was interrupted" }
        switch end {
        case .ended(let failure): return failure
        case .timeIsOver: return "took longer than \(timeLimit.components.seconds) s and was ended"
        }
    }
}

/// The files `input` and `output` of a run, in a folder that only the person can read; it goes as soon as the run has opened
/// them.
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
            try? FileManager.default.removeItem(at: place)
            throw error
        }
    }

    /// What the run has said.
    func output(limit: Int) -> String {
        let bytes = (try? outcome.read(upToCount: limit + 1)) ?? Data()
        let text = String(decoding: bytes.prefix(limit), as: UTF8.self)
        return bytes.count > limit ? text + "\n… (cut)" : text
    }

    /// Where the run couldn't begin, the folder is still there.
    func remove() {
        try? outcome.close()
        try? FileManager.default.removeItem(at: place)
    }
}

extension TerminationStatus {
    /// What happened, as a clause for the person: `ended with status 1`.
    var clause: String {
        switch self {
        case .exited(let code): "ended with status \(code)"
        case .signaled(let signal): "was ended by signal \(signal)"
        }
    }
}
