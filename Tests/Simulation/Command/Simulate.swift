import ArgumentParser
import Foundation
import Simulation

/// Runs schedules of the simulation, by their seeds or from a file.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Devices, a server, their disks, the network and time, each of which may fail. A seed fixes all.")

    @Option(help: "Seeds to run: A..B, without B.")
    var seeds: SeedRange?

    @Option(help: "The number of new seeds to run in addition; the first one is printed.")
    var fresh: UInt64?

    @Option(help: "One seed to run.")
    var seed: UInt64?

    @Option(help: "A schedule to run: a JSON file as printed by a failure.")
    var schedule: String?

    @Flag(help: "Print the story of each run, also without a failure.")
    var trace = false

    @Flag(help: "Don't shrink a failing schedule.")
    var whole = false

    @Option(help: "Threads, each of which needs a core.")
    var jobs = 1

    func validate() throws {
        guard seeds != nil || fresh != nil || seed != nil || schedule != nil else {
            throw ValidationError("name what to run: --seeds, --fresh, --seed or --schedule")
        }
    }

    func run() throws {
        var (count, failed) = (0, 0)
        if let schedule {
            let data = try Data(contentsOf: URL(fileURLWithPath: schedule))
            count += 1
            failed += try record(JSONDecoder().decode(Schedule.self, from: data))
        }
        if let seed {
            count += 1
            failed += try record(Schedule(seed: seed))
        }
        if let seeds {
            count += seeds.all.count
            failed += try run(seeds.all)
        }
        if let fresh {
            let first = UInt64.random(in: 1_000_000_000..<1_000_000_000_000)
            count += Int(fresh)
            failed += try run(first..<(first + fresh))
        }
        print("\(count - failed) passed, \(failed) failed")
        if failed > 0 { throw ExitCode.failure }
    }

    /// Runs many schedules; prints the story of the first that fails, and the seeds of the others.
    private func run(_ seeds: Range<UInt64>) throws -> Int {
        let begin = ContinuousClock.now
        let failures = Failures()
        let failed = try Fleet(threads: jobs).run(seeds) { schedule, fault in
            print("seed \(schedule.seed): \(fault.kind.rawValue): \(fault)")
            failures.add(schedule)
        }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        let rate = Int(Double(seeds.count) / seconds)
        if let first = failures.first { _ = try record(first) }
        print("seeds \(seeds.lowerBound)..\(seeds.upperBound): \(failed) failed, \(rate) schedules a second")
        return failed
    }

    /// Runs one schedule, and prints its story if it fails or on request: shrunk, with the JSON for `--schedule`.
    private func record(_ schedule: Schedule) throws -> Int {
        let runner = try Runner()
        let fault = runner.run(schedule).faults.first
        guard let fault else {
            print(
                trace
                    ? runner.run(schedule, recordsStory: true).story.joined(separator: "\n")
                    : "seed \(schedule.seed) passed")
            return 0
        }
        let shown = whole ? schedule : schedule.shrunk { runner.run($0).faults.first?.kind == fault.kind }
        print(runner.run(shown, recordsStory: true).story.joined(separator: "\n"))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        print(String(decoding: try encoder.encode(shown), as: UTF8.self))
        return 1
    }
}

/// Seeds from the command line.
struct SeedRange: ExpressibleByArgument {
    let all: Range<UInt64>

    init?(argument: String) {
        let parts = argument.split(separator: ".").compactMap { UInt64($0) }
        guard parts.count == 2, parts[0] < parts[1] else { return nil }
        all = parts[0]..<parts[1]
    }
}

/// The schedules that failed, from several threads.
///
/// `@unchecked Sendable`: the array is touched while `lock` is held.
private final class Failures: @unchecked Sendable {
    private let lock = NSLock()
    private var schedules: [Schedule] = []

    var first: Schedule? { lock.withLock { schedules.first } }

    func add(_ schedule: Schedule) { lock.withLock { schedules.append(schedule) } }
}
