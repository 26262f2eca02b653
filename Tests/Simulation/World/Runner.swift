import Foundation

/// Runs schedules, one after the other, in a place of its own. Several runners may run at once, each on its thread.
///
/// Sendable: what it holds never changes, and `run` is for one thread at a time.
package final class Runner: Sendable {
    private let directory: URL
    private let template: Template
    private let rooms: StoreDisks

    /// Makes the place: directories with the names of the simulated files, and the state that each run begins with.
    package init() throws {
        Disk.install()
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "\(Disk.marker)-\(UUID().uuidString.lowercased())")
        self.directory = directory
        template = try Template(in: directory)
        rooms = StoreDisks(
            server: StoreDisk(try Disk(making: directory.appending(path: "server"), file: "satchel.sqlite")),
            backup: try Disk(making: directory.appending(path: "backup"), file: "satchel.sqlite"),
            devices: try template.seats.indices.map { number in
                StoreDisk(try Disk(making: directory.appending(path: "device\(number)"), file: "cache.db"))
            })
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Runs a schedule.
    ///
    /// - Parameter isTold: whether to keep the story.
    package func run(_ schedule: Schedule, isTold: Bool = false) -> Outcome {
        let world = World(schedule, from: template, in: rooms, isTold: isTold)
        world.run()
        return Outcome(faults: world.faults, noise: world.noise, story: world.story)
    }
}

/// What came of a run.
package struct Outcome: Sendable, Equatable {
    /// What was found wrong; empty when all is well.
    package let faults: [Fault]
    /// Conflicts that are told though they are none, because of a restore.
    package let noise: [String]
    /// What happened, a line each, with the milliseconds since the beginning.
    package let story: [String]
}
