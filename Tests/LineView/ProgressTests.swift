import ControllerKit
import TestSupport
import Testing

@testable import LineView

@Suite("The progress of long work")
struct ProgressTests {
    @Test(
        "It fits one row of any width",
        arguments: [
            (79, "Importing 1,200 of 3,000 [================>                       ] 40%"),
            (39, "Importing 1,200 of 3,000 [===>    ] 40%"), (30, "Importing 1,200 of 3,000 40%"),
            (12, "Importing 1,"), (0, ""),
        ])
    func widths(columns: Int, line: String) {
        let shown = ProgressBar(progress: WorkProgress("Importing", 1_200, of: 3_000), rate: nil).line(columns: columns)
        #expect(shown == line)
        #expect(shown.count <= columns)
    }

    @Test("The bar is empty at first, full at the end, and never beyond")
    func ends() {
        let line = { ProgressBar(progress: WorkProgress("Sending", $0, of: 10), rate: nil).line(columns: 40) }
        #expect(line(0) == "Sending 0 of 10 [>                  ] 0%")
        #expect(line(10) == "Sending 10 of 10 [================] 100%")
        #expect(line(11) == line(10))
    }

    @Test("If the total is unknown, it shows how much is done and how fast")
    func uncounted() {
        let line = { ProgressBar(progress: WorkProgress("Receiving", $0), rate: $1).line(columns: 79) }
        #expect(line(0, nil) == "Receiving …")
        #expect(line(10_000, nil) == "Receiving 10,000 …")
        #expect(line(10_000, 2_500) == "Receiving 10,000, 2,500 a second …")
    }

    @Test("Its name can't control the terminal")
    func neutral() {
        let line = ProgressBar(progress: WorkProgress("a\u{1B}[2J", 1, of: 2), rate: nil).line(columns: 79)
        #expect(!line.contains("\u{1B}"))
    }

    @Test("Short work is never shown")
    func short() {
        var pace = ProgressPace()
        #expect(pace.step(WorkProgress("a", 1), at: .seconds(1)) == .wait(until: .milliseconds(1_300)))
        #expect(pace.step(WorkProgress("a", 2), at: .milliseconds(1_299)) == .wait(until: .milliseconds(1_300)))
        #expect(pace.step(nil, at: .milliseconds(1_300)) == .nothing)
    }

    @Test("Long work is shown at most ten times a second and removed at the end; the next work starts from zero")
    func long() {
        var pace = ProgressPace()
        let work = WorkProgress("a", 1)
        _ = pace.step(work, at: .zero)
        #expect(pace.step(work, at: .milliseconds(300)) == .show)
        #expect(pace.step(work, at: .milliseconds(350)) == .wait(until: .milliseconds(400)))
        #expect(pace.step(work, at: .milliseconds(400)) == .show)
        #expect(pace.age(at: .milliseconds(450)) == .milliseconds(450))
        #expect(pace.step(nil, at: .milliseconds(450)) == .erase)
        #expect(pace.step(nil, at: .milliseconds(450)) == .nothing)
        #expect(pace.step(work, at: .milliseconds(500)) == .wait(until: .milliseconds(800)))
    }
}
