import ControllerKit
import Foundation
import Testing

@testable import Controllers
@testable import WebPageView

@Suite struct RenderingTests {
    private let clock: PageClock

    init() throws {
        let now = try Date("2026-11-21T12:00:00Z", strategy: .iso8601)
        clock = PageClock(now: now, timeZone: .gmt)
    }

    @Test(arguments: [
        ("2026-11-21T15:00:00Z", "today 15:00"), ("2026-11-22T00:00:00Z", "tomorrow"),
        ("2026-11-20T00:00:00Z", "yesterday"), ("2026-11-27T09:05:00Z", "Fri 2026-11-27 09:05"), ("soon", "soon"),
    ])
    func `a moment is called as people call it`(text: String, words: String) { #expect(clock.near(text) == words) }

    @Test(arguments: [
        (nil, true, false, DueGroup.notes), ("2026-11-20T00:00:00Z", false, true, .overdue),
        ("2026-11-21T20:00:00Z", false, false, .today), ("2026-11-28T00:00:00Z", false, false, .week),
        ("2026-11-29T00:00:00Z", false, false, .later), (nil, false, false, .someday),
    ])
    func `a row stands under the heading of its day`(due: String?, isNote: Bool, isLate: Bool, group: DueGroup) {
        let row = ListScreen.State.Row(
            number: 1, id: "a", prefix: "a", collection: isNote ? "notes" : "tasks", title: "T", project: nil, tags: [],
            due: due, isOverdue: isLate, priority: nil, status: isNote ? nil : "pending", hasMore: false,
            isUnsent: false)
        #expect(DueGroup(row, clock) == group)
    }

    @Test func `an outline becomes a tree of lists and names`() throws {
        struct Square: Encodable {
            let positionIsValid = true
            let tags = ["<a>"]
            let corners: [Int] = []
        }
        let outline = try Outline(Square())
        let html = try Templates().html("outline", OutlineModel(outline))
        #expect(
            html.contains("<dt>position is valid</dt>") && html.contains("<li><span class=\"text\">&lt;a&gt;</span>"))
        #expect(html.contains("nothing"))
    }
}
