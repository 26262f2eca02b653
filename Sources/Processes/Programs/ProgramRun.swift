import Foundation
import Subprocess

/// A run of a program by a script of the shell, until it ends or one of its limits is reached.
///
/// The program has its own process group: Ctrl-C at the terminal doesn't end it half-way, and a limit ends the whole group.
/// It inherits only the files that the script opens: swift-subprocess closes all others, for example locks.
struct ProgramRun: Sendable {
    /// The script.
    let script: String
    /// The arguments of the script, from `$1` on. No argument needs quoting, or can be run as a command.
    let arguments: [String]
    /// Variables in addition to this process's environment.
    var environment: [String: String] = [:]
    /// The time that the program may run.
    let timeLimit: Duration
    /// Whether a signal that ends this process ends the program, too; false: it then runs to its end.
    var passesSignals = true
    /// Returns whether the program has written more than it may; nil: its output isn't watched.
    var exceedsOutput: (@Sendable () -> Bool)?

    /// The time between SIGTERM and SIGKILL.
    private static let mercy = Duration.seconds(Int(ProcessGroupGuard.mercy))
    /// The time between two looks at the output.
    private static let interval = Duration.milliseconds(50)

    /// Runs the program. Cancelling the task ends it, too.
    ///
    /// - Returns: The failure as a clause, such as `ended with status 1`; nil: none.
    func failure() async -> String? {
        let end = await withTaskGroup(of: End.self, returning: End.self) { group in
            group.addTask { .ended(failure: await runToItsEnd()) }
            group.addTask { await limit() }
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
        case .outputIsTooLong: return "printed too much and was ended"
        case .timeIsOver: return "took longer than \(timeLimit.components.seconds) s and was ended"
        }
    }

    private enum End: Sendable {
        case ended(failure: String?)
        case outputIsTooLong
        case timeIsOver
    }

    /// Waits until a limit is reached, or the program has ended and the task is cancelled; the result is then not used.
    private func limit() async -> End {
        guard let exceedsOutput else {
            // A cancelled sleep ends early.
            try? await Task.sleep(for: timeLimit)
            return .timeIsOver
        }
        let end = ContinuousClock.now + timeLimit
        while ContinuousClock.now < end, !Task.isCancelled {
            // A cancelled sleep ends the loop.
            try? await Task.sleep(for: Self.interval)
            if exceedsOutput() { return .outputIsTooLong }
        }
        return .timeIsOver
    }

    /// - Returns: The failure as a clause; nil: none.
    private func runToItsEnd() async -> String? {
        var options = PlatformOptions()
        // A new group, whose id is that of the program.
        options.processGroupID = 0
        options.teardownSequence = [
            .send(signal: .terminate, toProcessGroup: true, allowedDurationToNextStep: Self.mercy)
        ]
        let more = environment.map { (Environment.Key(rawValue: $0.key), $0.value) }
        let keyed = Dictionary(more.compactMap { key, value in key.map { ($0, String?.some(value)) } }) { $1 }
        // The guard knows one program at a time.
        let signals = passesSignals ? ProcessGroupGuard.shared : nil
        signals?.begin()
        defer { signals?.end() }
        do {
            let result = try await Subprocess.run(
                .name("sh"), arguments: Arguments(["-c", script, "sh"] + arguments),
                environment: .inherit.updating(keyed), platformOptions: options, input: .none, output: .discarded,
                error: .discarded
            ) { execution in
                signals?.pass(to: execution.processIdentifier.value)
            }
            return result.terminationStatus.isSuccess ? nil : result.terminationStatus.clause
        } catch {
            return "can't be run: \(error)"
        }
    }
}
