import Foundation
import Simulation
import Testing

/// The invariants of the protocol (SyncAPI.docc/Protocol.md, "Invariants") on schedules of the simulation.
/// `Tests/simulate` runs many more, and shows and shrinks what fails.
@Suite(.serialized) struct SimulationTests {
    @Test func `the invariants hold in schedules that are drawn from seeds`() async throws {
        let failures = try await failures(of: (0..<60).map { Schedule(seed: $0) })
        #expect(failures == [])
    }

    @Test func `the invariants hold in all schedules that once failed`() async throws {
        let schedules = try Self.kept().map(\.schedule)
        try #require(!schedules.isEmpty)
        #expect(try await failures(of: schedules) == [])
        let noise = try await run { runner in schedules.flatMap { runner.run($0).noise } }
        #expect(noise == [])
    }

    @Test func `one seed gives the same story twice, whatever ran before`() async throws {
        // With one process in each home and with several.
        let seeds = [3, 17, 29, 41, 2, 6, 12, 26] as [UInt64]
        let stories = try await run { runner in
            (seeds + seeds.reversed()).map { runner.run(Schedule(seed: $0), recordsStory: true).story }
        }
        for (first, second) in zip(stories, stories.reversed()) {
            #expect(first == second)
            #expect(first.count > 20)
        }
    }

    @Test func `live events, bodies that are too large and rejected records occur`() async throws {
        let stories = try await run { runner in
            // Two seeds of each theme that contains them.
            ([2, 12, 29, 49] as [UInt64]).map { seed in
                runner.run(Schedule(seed: seed), recordsStory: true).story.joined(separator: "\n")
            }
        }
        #expect(stories[0].contains("GET /v1/events → 200") || stories[1].contains("GET /v1/events → 200"))
        #expect(stories[2].contains("→ 413") || stories[3].contains("→ 413"))
        #expect(stories[2].contains("rejected") || stories[3].contains("rejected"))
    }

    @Test func `ten consecutive seeds use homes in every way`() {
        let homes = Set((40..<50).map { Schedule(seed: $0).homes })
        #expect(homes == [.oneProcess, .shared, .fresh])
    }

    @Test func `twenty consecutive seeds have servers of one to three processes`() {
        let counts = Set((40..<60).map { Schedule(seed: $0).serverProcesses })
        #expect(counts == [1, 2, 3])
    }

    @Test func `several processes answer the requests of a schedule, and are killed one at a time`() async throws {
        let story = try await run { $0.run(Schedule(seed: 2), recordsStory: true).story.joined(separator: "\n") }
        for place in 0..<3 { #expect(story.contains("from process \(place)")) }
        #expect(story.contains("the server (process "))
    }

    @Test func `a schedule is shrunk to the steps that matter`() {
        let schedule = Schedule(seed: 5)
        let culprits = [schedule.steps[3].number, schedule.steps[9].number]
        let shrunk = schedule.shrunk { candidate in
            culprits.allSatisfy { number in candidate.steps.contains { $0.number == number } }
        }
        #expect(shrunk.steps.map(\.number) == culprits)
        #expect(shrunk.steps.allSatisfy { $0.pause == 0 })
    }

    @Test func `a stored schedule is unchanged`() throws {
        for seed in 0..<50 as Range<UInt64> {
            let schedule = Schedule(seed: seed)
            let stored = try JSONEncoder().encode(schedule)
            #expect(try JSONDecoder().decode(Schedule.self, from: stored) == schedule)
        }
    }

    /// The schedules in `Schedules`, by name: each failed until a fault that it found was fixed.
    private static func kept() throws -> [(name: String, schedule: Schedule)] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "Schedules")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }.map { file in
            (file.lastPathComponent, try JSONDecoder().decode(Schedule.self, from: Data(contentsOf: file)))
        }
    }

    private func failures(of schedules: [Schedule]) async throws -> [String] {
        try await run { runner in
            schedules.flatMap { schedule in
                runner.run(schedule).faults.map { "seed \(schedule.seed): \($0.kind.rawValue): \($0)" }
            }
        }
    }

    /// Runs the simulation on a separate thread, which it keeps busy.
    private func run<Value: Sendable>(_ body: @escaping @Sendable (Runner) throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let thread = Thread { continuation.resume(with: Result { try body(Runner()) }) }
            thread.stackSize = 8 << 20
            thread.start()
        }
    }
}
