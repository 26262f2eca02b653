import Foundation

/// Runs the programs of a folder, one after the other in the order of the events, in the background.
///
/// Their output and their failures are passed to `messages`. They run after the fact and can't undo it: a failure is
/// reported, and the next program runs.
public final class HookRunner: Sendable {
    /// An event with the input of its programs.
    public struct Job: Sendable {
        let event: String
        let lines: [String]

        /// An event by its name, and a line for each thing that it is about.
        public init(event: String, lines: [String]) { (self.event, self.lines) = (event, lines) }
    }

    /// The environment variables that a program gets.
    public struct Variables: Sendable {
        /// Holds the home.
        public let home: String
        /// Holds the program's own name. A process that has it runs in a hook, and must start no hooks itself.
        public let hook: String

        /// Names of variables.
        public init(home: String, hook: String) { (self.home, self.hook) = (home, hook) }
    }

    /// What the programs say: each message a line or more, with the program's name in front. Ends after `finish`.
    public let messages: AsyncStream<String>
    private let jobs: AsyncStream<Job>.Continuation
    private let work: Task<Void, Never>

    /// - Parameters:
    ///   - folder: has the programs; read again at each event.
    ///   - home: where they run.
    ///   - variables: what their environment has besides that of this process.
    ///   - timeLimit: how long one may run.
    public init(_ folder: HookFolder, home: String, variables: Variables, timeLimit: Duration = HookProgram.timeLimit) {
        let (jobs, feed) = AsyncStream.makeStream(of: Job.self)
        let (messages, mouth) = AsyncStream.makeStream(of: String.self)
        (self.jobs, self.messages) = (feed, messages)
        work = Task {
            var worker = HookWorker(folder: folder, home: home, variables: variables, timeLimit: timeLimit) {
                mouth.yield($0)
            }
            for await job in jobs where !Task.isCancelled { await worker.run(job) }
            mouth.finish()
        }
    }

    /// Queues a job, and returns immediately.
    public func run(_ job: Job) { jobs.yield(job) }

    /// Waits until all that was asked for is done; nothing can be asked for any more. A cancelled task ends the program that
    /// runs, and leaves out the rest.
    public func finish() async {
        jobs.finish()
        await withTaskCancellationHandler {
            await work.value
        } onCancel: {
            work.cancel()
        }
    }
}

/// Carries out one job after the other.
private struct HookWorker {
    let folder: HookFolder
    let home: String
    let variables: HookRunner.Variables
    let timeLimit: Duration
    let say: @Sendable (String) -> Void
    /// The refused files that were reported, each once.
    private var reported: [HookFolder.Refusal] = []

    init(
        folder: HookFolder, home: String, variables: HookRunner.Variables, timeLimit: Duration,
        say: @escaping @Sendable (String) -> Void
    ) {
        (self.folder, self.home, self.variables) = (folder, home, variables)
        (self.timeLimit, self.say) = (timeLimit, say)
    }

    mutating func run(_ job: HookRunner.Job) async {
        let listing = folder.listing(of: job.event)
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
