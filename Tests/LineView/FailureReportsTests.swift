import ControllerKit
import TestSupport
import Testing

@testable import LineView

@MainActor
@Suite("Reports of failures")
struct FailureReportsTests {
    private let terminal = ScriptedTerminal()

    @Test("A failure of both a command and the work around it is written once")
    func once() async {
        let reports = FailureReports(terminal)
        reports.begin()
        reports.report(Failure(.damaged, "It is damaged."))
        reports.report(Failure(.damaged, "It is damaged."))
        await reports.report(Failure(.damaged, "It is damaged."), line: nil)
        #expect(terminal.messages == "It is damaged.\n")
    }

    @Test("The next command reports it again, and a script's line is named in any case")
    func again() async {
        let reports = FailureReports(terminal)
        reports.begin()
        await reports.report(Failure(.failed, "No."), line: nil)
        reports.begin()
        reports.report(Failure(.failed, "No."))
        await reports.report(Failure(.failed, "No."), line: 3)
        #expect(terminal.messages == "No.\nNo.\nline 3: No.\n")
    }
}
