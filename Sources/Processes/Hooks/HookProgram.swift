import Foundation
import Subprocess
import Synchronization

/// A program that reads a text from its standard input and whose output is collected.
///
/// Input and output are files that only the user can read, and whose names are removed when the program begins. So a
/// program that doesn't read its input, or leaves a child with its output open, delays nothing. The files remain only if
/// this process is ended in the milliseconds before the program begins. The program has its own process group: Ctrl-C at the terminal doesn't end it half-way,
/// and its time limit ends the whole group. It inherits only these files: swift-subprocess closes all others, for
/// example locks.
public struct HookProgram: Sendable {
    /// The time that it may run.
    public static let timeLimit = Duration.seconds(30)
    /// The limit of the output in bytes, if it is only shown.
    public static let outputLimit = 16 << 10
    /// The limit of an output with records, in bytes.
    public static let reviewOutputLimit = 16 << 20
    /// The time between SIGTERM and SIGKILL.
    private static let mercy = Duration.seconds(2)

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
            let failure = await withTimeLimit { await runToItsEnd(files) }
            let (output, isCut) = files.output(limit: outputLimit)
            return Outcome(output: output, isCut: isCut, failure: failure)
        } catch {
            return Outcome(failure: "can't be run: \(error.localizedDescription)")
        }
    }

    /// - Returns: The failure as a clause; nil: none.
    private func runToItsEnd(_ files: HookFiles) async -> String? {
        var options = PlatformOptions()
        // A new group, whose id is that of the program.
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: Self.mercy)
        ]
        let more = environment.map { (Environment.Key(rawValue: $0.key), $0.value) }
        let keyed = Dictionary(more.compactMap { key, value in key.map { ($0, String?.some(value)) } }) { $1 }
        ProcessGroupGuard.shared.begin()
        defer { ProcessGroupGuard.shared.end() }
        do {
            let result = try await Subprocess.run(
                .name("sh"),
                // The paths are arguments of the script: no name needs quoting, or can be run as a command. The last
                // `exec` makes the status that of the program.
                arguments: [
                    "-c",
                    "exec <\"$3/input\" >\"$3/output\" 2>&1; rm -r -- \"$3\"; cd -- \"$2\" && exec \"$1\"", "sh", path,
                    folder, files.folder,
                ],
                environment: .inherit.updating(keyed), platformOptions: options, input: .none, output: .discarded,
                error: .discarded
            ) { execution in
                ProcessGroupGuard.shared.pass(to: execution.processIdentifier.value)
            }
            return result.terminationStatus.isSuccess ? nil : result.terminationStatus.clause
        } catch {
            return "can't be run: \(error)"
        }
    }

    private enum End: Sendable {
        case ended(failure: String?)
        case timeIsOver
    }

    /// - Returns: The result of `run`, or that it was interrupted.
    private func withTimeLimit(_ run: @escaping @Sendable () async -> String?) async -> String? {
        let end = await withTaskGroup(of: End.self, returning: End.self) { group in
            group.addTask { .ended(failure: await run()) }
            group.addTask { [timeLimit] in
                // Cancelled when the program has ended first; the result is then not used.
                try? await Task.sleep(for: timeLimit)
                return .timeIsOver
            }
            let first = await group.next() ?? .timeIsOver
            group.cancelAll()
            // Until the cancelled run has ended the program.
            await group.waitForAll()
            return first
        }
        // Before `end`: an interruption may also look like a failed run.
        if Task.isCancelled { return "was interrupted" }
        switch end {
        case .ended(let failure): return failure
        case .timeIsOver: return "took longer than \(timeLimit.components.seconds) s and was ended"
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

extension TerminationStatus {
    /// The status as a clause for the user, such as `ended with status 1`.
    var clause: String {
        switch self {
        case .exited(let code): "ended with status \(code)"
        case .signaled(let signal): "was ended by signal \(signal)"
        }
    }
}

/// Makes a signal that ends this process also end the program that it waits for, which has its own process group.
///
/// Only signals that would end the process are handled (a prompt has its own handler for Ctrl-C), and only while a
/// program is started or runs. The handler does only what signal-safety(7) allows: it sends SIGTERM to the group,
/// restores the signal's default action and raises it again. A signal received before the group is known is kept until
/// `pass(to:)`. The program may end, and this process exit with status 0, before the handler has run to its end;
/// therefore `end` raises the signal, too.
final class ProcessGroupGuard: Sendable {
    static let shared = ProcessGroupGuard()
    private static let signals = [SIGINT, SIGTERM, SIGHUP]
    /// The group that receives the signals; 0: none, -1: a program is being started.
    private let group = Atomic<Int32>(0)
    /// The signal that ends this process; 0: none.
    private let ending = Atomic<Int32>(0)

    private init() {}

    /// Begins to handle the signals. Call it before the program is started.
    func begin() {
        group.store(-1, ordering: .sequentiallyConsistent)
        for signal in Self.signals { replace(signal, where: Self.isDefault, by: Self.handler) }
    }

    /// Passes signals to a process group from now on. A signal received since `begin` is passed at once.
    func pass(to group: Int32) {
        self.group.store(group, ordering: .sequentiallyConsistent)
        guard ending.load(ordering: .sequentiallyConsistent) != 0 else { return }
        kill(-group, SIGTERM)
        endIfSignaled()
    }

    /// Ends handling the signals. If one has come, this process ends by the same signal here.
    func end() {
        // Only our own handlers: the prompt may have set others meanwhile.
        for signal in Self.signals { replace(signal, where: Self.isOurs, by: SIG_DFL) }
        group.store(0, ordering: .sequentiallyConsistent)
        // Last: a handler that still runs either has stored its signal, or finds no program and raises the signal itself.
        endIfSignaled()
    }

    private func endIfSignaled() {
        let ending = ending.load(ordering: .sequentiallyConsistent)
        guard ending != 0 else { return }
        Glibc.signal(ending, SIG_DFL)
        kill(getpid(), ending)
    }

    private static let handler: @convention(c) (Int32) -> Void = { signal in
        ProcessGroupGuard.shared.ending.store(signal, ordering: .sequentiallyConsistent)
        let group = ProcessGroupGuard.shared.group.load(ordering: .sequentiallyConsistent)
        if group < 0 { return }
        if group > 0 { kill(-group, SIGTERM) }
        Glibc.signal(signal, SIG_DFL)
        raise(signal)
    }

    private func replace(_ signal: Int32, where matches: (sigaction) -> Bool, by handler: __sighandler_t?) {
        var present = sigaction()
        guard sigaction(signal, nil, &present) == 0, matches(present) else { return }
        present.__sigaction_handler.sa_handler = handler
        sigaction(signal, &present, nil)
    }

    private static func isDefault(_ action: sigaction) -> Bool { address(of: action) == 0 }

    private static func isOurs(_ action: sigaction) -> Bool {
        address(of: action) == unsafeBitCast(handler, to: Int.self)
    }

    private static func address(of action: sigaction) -> Int {
        action.__sigaction_handler.sa_handler.map { unsafeBitCast($0, to: Int.self) } ?? 0
    }
}
