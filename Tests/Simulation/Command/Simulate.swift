import ArgumentParser
import Foundation
import Simulation

/// Runs schedules of the simulation, by their seeds or from files.
@main
struct Simulate: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Many devices, a server, their disks, the network and time, each of which may fail: a seed fixes all."
    )

    @Option(help: "Seeds to run: A..B, without B.")
    var seeds: SeedRange?

    @Option(help: "One seed to run.")
    var seed: UInt64?

    @Option(help: "A schedule to run: a file of JSON, as --trace prints it.")
    var schedule: String?

    @Flag(help: "Tell what happens; of what fails, in a schedule made as short as possible.")
    var trace = false

    @Flag(help: "Leave schedules that fail as long as they are.")
    var whole = false

    func run() throws {
        let runner = try Runner()
        let begin = ContinuousClock.now
        var (count, failed) = (0, 0)
        for schedule in try schedules() {
            count += 1
            let faults = runner.run(schedule).faults
            if let fault = faults.first {
                failed += 1
                print("seed \(schedule.seed): \(fault.kind.rawValue): \(fault)")
            }
            if trace { try tell(schedule, faults.first, runner) }
        }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        print("\(count) schedules, \(failed) failed, \(Int(Double(count) / seconds)) a second")
        if failed > 0 { throw ExitCode.failure }
    }

    private func schedules() throws -> any Sequence<Schedule> {
        if let schedule {
            return [try JSONDecoder().decode(Schedule.self, from: Data(contentsOf: URL(fileURLWithPath: schedule)))]
        }
        if let seed { return [Schedule(seed: seed)] }
        guard let seeds else { throw ValidationError("name what to run: --seeds, --seed or --schedule") }
        return (seeds.first..<seeds.end).lazy.map { Schedule(seed: $0) }
    }

    private func tell(_ schedule: Schedule, _ fault: Fault?, _ runner: Runner) throws {
        var told = schedule
        if let fault, !whole {
            told = schedule.shrunk { runner.run($0).faults.first?.kind == fault.kind }
        }
        print(runner.run(told, isTold: true).story.joined(separator: "\n"))
        if fault == nil { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        print(String(decoding: try encoder.encode(told), as: UTF8.self))
    }
}

/// Seeds from the command line.
struct SeedRange: ExpressibleByArgument {
    let first: UInt64
    let end: UInt64

    init?(argument: String) {
        let parts = argument.split(separator: ".", omittingEmptySubsequences: true).compactMap { UInt64($0) }
        guard parts.count == 2, parts[0] < parts[1] else { return nil }
        (first, end) = (parts[0], parts[1])
    }
}
