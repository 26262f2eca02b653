import Foundation

/// Runs the programs of a folder in the background, one after the other, in the order of the events.
///
/// Their output and their failures are passed to `messages`. A program can't undo what was stored: a failure is
/// reported, and the next program runs.
public final class HookRunner: Sendable {
    /// The programs of one name with their input.
    public struct Job: Sendable {
        let program: String
        let lines: [String]

        /// Creates a job with the name of the programs, such as `after-add`, and a line for each change.
        public init(program: String, lines: [String]) { (self.program, self.lines) = (program, lines) }
    }

    /// The names of the environment variables of a program.
    public struct Variables: Sendable {
        /// Contains the home.
        public let home: String
        /// Contains the name of the program. A process with this variable must not run hooks itself.
        public let hook: String

        /// Creates names of variables.
        public init(home: String, hook: String) { (self.home, self.hook) = (home, hook) }
    }

    /// The output of the programs: each message has one or more lines that begin with the program's name. Ends after
    /// `finish`.
    public let messages: AsyncStream<String>
    private let jobContinuation: AsyncStream<Job>.Continuation
    private let messageContinuation: AsyncStream<String>.Continuation
    private let work: Task<Void, Never>

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - folder: The folder of the programs; it is read again for each event.
    ///   - home: The working directory of the programs.
    ///   - variables: The variables in addition to this process's environment.
    ///   - timeLimit: The time that a program may run.
    public init(_ folder: HookFolder, home: String, variables: Variables, timeLimit: Duration = HookProgram.timeLimit) {
        let (jobs, jobContinuation) = AsyncStream.makeStream(of: Job.self)
        let (messages, messageContinuation) = AsyncStream.makeStream(of: String.self)
        self.messages = messages
        (self.jobContinuation, self.messageContinuation) = (jobContinuation, messageContinuation)
        work = Task {
            var worker = HookWorker(folder: folder, home: home, variables: variables, timeLimit: timeLimit) {
                messageContinuation.yield($0)
            }
            for await job in jobs where !Task.isCancelled { await worker.run(job) }
            messageContinuation.finish()
        }
    }

    /// Queues a job, and returns immediately.
    public func run(_ job: Job) { jobContinuation.yield(job) }

    /// Adds a message of another program to `messages`.
    public func report(_ message: String) { messageContinuation.yield(message) }

    /// Waits until all jobs are done; no more can be added. Cancelling the task ends the running program and skips the
    /// others.
    public func finish() async {
        // `work` ends after the last job, and ends `messages`.
        jobContinuation.finish()
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
    }
}

/// Runs one job after the other.
private struct HookWorker {
    let folder: HookFolder
    let home: String
    let variables: HookRunner.Variables
    let timeLimit: Duration
    let say: @Sendable (String) -> Void
    /// The refused files that were already reported.
    private var reported: [HookFolder.Refusal] = []

    init(
        folder: HookFolder, home: String, variables: HookRunner.Variables, timeLimit: Duration,
        say: @escaping @Sendable (String) -> Void
    ) {
        (self.folder, self.home, self.variables) = (folder, home, variables)
        (self.timeLimit, self.say) = (timeLimit, say)
    }

    mutating func run(_ job: HookRunner.Job) async {
        let listing = folder.listing(of: job.program)
        for refusal in listing.refused where !reported.contains(refusal) {
            reported.append(refusal)
            say("\(refusal.path) isn't run: it \(refusal.reason).")
        }
        let input = job.lines.map { $0 + "\n" }.joined()
        for path in listing.programs where !Task.isCancelled {
            let name = URL(fileURLWithPath: path).lastPathComponent
            let program = HookProgram(
                path: path, in: home, environment: [variables.home: home, variables.hook: name],
                timeLimit: timeLimit)
            let outcome = await program.run(input)
            let lines = outcome.output.split(separator: "\n").map { "\(name): \($0)" }
            let failure = outcome.failure.map { ["\(name) \($0). The edits are stored nevertheless."] } ?? []
            if !(lines + failure).isEmpty { say((lines + failure).joined(separator: "\n")) }
        }
    }
}
