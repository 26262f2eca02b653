import Foundation

extension Schedule {
    /// The shortest schedule found that still fails: steps are left out and simplified as long as it does (Zeller and
    /// Hildebrandt, "Simplifying and Isolating Failure-Inducing Input", 2002).
    package func shrunk(while fails: (Schedule) -> Bool) -> Schedule {
        var best = self
        var before: Schedule
        repeat {
            before = best
            best = best.shorter(fails).simpler(fails)
        } while best != before
        return best
    }

    /// Leaves out as many steps as possible: halves, quarters, finally single ones.
    private func shorter(_ fails: (Schedule) -> Bool) -> Schedule {
        var best = self
        var size = max(1, best.steps.count / 2)
        while true {
            var start = 0
            while start < best.steps.count {
                var candidate = best
                candidate.steps.removeSubrange(start..<min(start + size, best.steps.count))
                if fails(candidate) { best = candidate } else { start += size }
            }
            if size == 1 { return best }
            size /= 2
        }
    }

    /// Uses the simplest form of each step that still fails.
    private func simpler(_ fails: (Schedule) -> Bool) -> Schedule {
        var best = self
        for index in best.steps.indices {
            for step in best.steps[index].simpler {
                var candidate = best
                candidate.steps[index] = step
                if fails(candidate) { best = candidate }
            }
        }
        while best.serverProcesses > 1 {
            var candidate = best
            candidate.serverProcesses -= 1
            guard fails(candidate) else { break }
            best = candidate
        }
        while best.devices > 2, !best.hasStranger {
            var candidate = best
            candidate.devices -= 1
            guard candidate.isPossible, fails(candidate) else { break }
            best = candidate
        }
        return best
    }

    /// Whether no step is about a missing device.
    private var isPossible: Bool {
        steps.allSatisfy { step in step.action.devices.allSatisfy { $0 < devices } }
    }
}

extension Step {
    /// Simpler forms of the step, the simplest first.
    fileprivate var simpler: [Step] {
        var forms = action.simpler.map { with(\.action, $0) }
        if terminal != 0 { forms.append(with(\.terminal, 0)) }
        if pause != 0 { forms.append(with(\.pause, 0)) }
        if pause > 1_000 { forms.append(with(\.pause, 1_000)) }
        return forms
    }

    private func with<Value>(_ part: WritableKeyPath<Step, Value>, _ value: Value) -> Step {
        var step = self
        step[keyPath: part] = value
        return step
    }
}

extension Action {
    fileprivate var simpler: [Action] {
        switch self {
        case .sync(let device, let fates):
            var forms: [[Fate]] = fates.isEmpty ? [] : [[], Array(fates.dropLast())]
            for index in fates.indices where fates[index] != .good {
                var form = fates
                form[index] = .good
                forms.append(form)
            }
            return forms.map { .sync(device: device, fates: $0) }
        case .disturb(let device, let fates):
            return fates.indices.map { index in
                var form = fates
                form.remove(at: index)
                return .disturb(device: device, fates: form)
            }
        case .edit(let device, let record, let parts) where parts.count > 1:
            return parts.map { .edit(device: device, record: record, parts: [$0]) }
        default: return []
        }
    }

    fileprivate var devices: [Int] {
        switch self {
        case .edit(let device, _, _), .delete(let device, _), .dismiss(let device, _), .sync(let device, _),
            .chore(let device, _, _), .partition(let device, _), .logIn(let device), .logOut(let device),
            .open(let device), .quit(let device), .disturb(let device, _):
            [device]
        case .clock(let machine, _), .kill(let machine, _), .cutPower(let machine, _), .fail(let machine, _, _, _):
            if case .device(let number) = machine { [number] } else { [] }
        case .revoke(let device, let by): [device, by]
        case .wait, .backUp, .restore, .purge: []
        }
    }
}

/// Runs schedules, one after the other, in a separate directory. Several runners may run at once, each on its thread.
///
/// Sendable: its members never change, and `run` is for one thread at a time.
package final class Runner: Sendable {
    private let directory: URL
    private let template: Template
    private let rooms: StoreDisks

    /// Creates directories with the names of the simulated files, and the initial state of each run.
    package init() throws {
        Disk.install()
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "\(Disk.marker)-\(UUID().uuidString.lowercased())")
        self.directory = directory
        template = try Template(in: directory)
        rooms = StoreDisks(
            server: StoreDisk(try Disk(making: directory.appending(path: "server"), file: "server.sqlite")),
            backup: try Disk(making: directory.appending(path: "backup"), file: "server.sqlite"),
            devices: try template.seats.indices.map { number in
                StoreDisk(try Disk(making: directory.appending(path: "device\(number)"), file: "cache.db"))
            })
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    /// Runs a schedule.
    ///
    /// - Parameter recordsStory: whether to record the story.
    package func run(_ schedule: Schedule, recordsStory: Bool = false) -> Outcome {
        let world = World(schedule, from: template, in: rooms, recordsStory: recordsStory)
        world.run()
        return Outcome(faults: world.faults, noise: world.noise, story: world.story)
    }
}

/// The result of a run.
package struct Outcome: Sendable, Equatable {
    /// The faults found; empty if there are none.
    package let faults: [Fault]
    /// Conflicts that are reported though they are none, because of a restore.
    package let noise: [String]
    /// The story: one line for each event, with the milliseconds since the beginning.
    package let story: [String]
}
