import Foundation
import Simulation

let runner = try Runner()
let arguments = CommandLine.arguments
let bounds = arguments[1].split(separator: ".").compactMap { UInt64($0) }
let begin = ContinuousClock.now
var failed = 0
for seed in bounds[0]..<bounds[1] {
    let outcome = runner.run(Schedule(seed: seed), isTold: arguments.count > 2)
    if arguments.count > 2 { print(outcome.story.joined(separator: "\n")) }
    if !outcome.faults.isEmpty {
        failed += 1
        print("seed \(seed): \(outcome.faults.prefix(2))")
    }
}
let seconds = (ContinuousClock.now - begin) / .seconds(1)
print("\(bounds[1] - bounds[0]) schedules, \(failed) failed, \(Int(Double(bounds[1] - bounds[0]) / seconds)) a second")
