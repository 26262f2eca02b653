import ControllerKit
import Foundation
import Records
import TestSupport
import Testing
import WebPageView

@testable import Controllers
@testable import SatchelScreens

/// A fact has one wording: views differ in how they write a time and what to do next.
@Suite struct FactsTests {
    private let page = Wording.page(PageClock(now: Date(timeIntervalSince1970: 1_795_000_000), timeZone: .gmt))

    private func states() -> [SyncScreen.State] {
        var signedIn = SyncScreen.State()
        (signedIn.username, signedIn.server, signedIn.isSignedIn) = ("ada", "https://a.example", true)
        signedIn.unsent = 3
        let unsent = UnsentReason.allCases.map { reason in
            var state = signedIn
            (state.why, state.retryAt) = (reason, moment("2026-11-21T15:20:00Z"))
            return state
        }
        let ended = EndedSession.allCases.map { end in
            var state = signedIn
            (state.isSignedIn, state.ended) = (false, end)
            return state
        }
        var busy = signedIn
        (busy.isSyncing, busy.isSyncingElsewhere, busy.isLive) = (true, true, true)
        (busy.isAutomatic, busy.isInBackground, busy.conflicts, busy.resolvedElsewhere) = (false, false, 2, 1)
        (busy.offlineSince, busy.lastProblem) = (moment("2026-11-21T15:20:00Z"), "The server can't be reached.")
        (busy.obstacle, busy.rebuilt) = ("The disk is full.", "The old one was put aside.")
        return [SyncScreen.State(), signedIn, busy] + unsent + ended
    }

    @Test func `lines and the page show the same facts in the same order`() {
        for state in states() {
            let (lines, page) = (SyncFacts(state, .lines).all, SyncFacts(state, page).all)
            #expect(lines.map(\.label) == page.map(\.label))
            #expect(lines.map(\.severity) == page.map(\.severity))
        }
    }

    @Test func `the page names no command`() {
        for fact in states().flatMap({ SyncFacts($0, page).all }) { #expect(!fact.text.contains("`"), "\(fact)") }
    }

    @Test func `an ended session has the same wording in the status and in the account`() {
        for end in EndedSession.allCases {
            var (sync, session) = (SyncScreen.State(), SessionScreen.State())
            (sync.username, sync.server, sync.ended) = ("ada", "https://a.example", end)
            (session.username, session.server, session.ended) = ("ada", "https://a.example", end)
            #expect(SyncFacts(sync, .lines).all.first == SessionFacts(session).account(.lines))
        }
    }

    @Test func `in a field of times, a text that isn't a time is shown as it is`() throws {
        var field = DetailScreen.State.Field(name: "due", label: "Due", value: "someday", isMoment: true)
        #expect(field.shown == .text("someday"))
        field.value = "2026-11-21T15:20:00Z"
        #expect(field.shown == .date(try #require(DateValue("2026-11-21T15:20:00Z"))))
        field.isMoment = false
        #expect(field.shown == .text("2026-11-21T15:20:00Z"))
    }

    @Test func `the result of a conflict has the same wording in lines and on the page`() {
        var row = ConflictsScreen.State.Row(
            number: 1, id: "c", record: "r", collection: "tasks", title: "Plan", isRecordDeleted: false, field: "title",
            label: "Title",
            earlier: .init(value: "a", isCut: false, at: nil, device: nil, deviceName: nil, isMine: true),
            later: .init(value: "b", isCut: false, at: nil, device: nil, deviceName: nil, isMine: false), diff: nil,
            kept: .both, hasChangedSince: false)
        #expect(row.outcome(.lines) == "kept: both, between markers in the text")
        #expect(row.outcome(page) == row.outcome(.lines))
        (row.hasChangedSince, row.now) = (true, "one\ntwo")
        #expect(row.outcome(page) == "the field has changed since: it is now “one” …")
        (row.resolvedAt, row.resolvedBy) = (moment("2026-11-21T15:20:00Z"), "desk")
        #expect(row.outcome(.lines) == "resolved \(LocalTime.short(moment("2026-11-21T15:20:00Z"))) by desk")
    }
}
