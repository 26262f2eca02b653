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
        ("2026-11-20T00:00:00Z", "yesterday"), ("2026-11-27T09:05:00Z", "Fri 2026-11-27 09:05"),
    ])
    func `a time is named in common words`(text: String, words: String) throws {
        #expect(clock.near(try Date(text, strategy: .iso8601)) == words)
    }

    @Test func `long work is a bar with words; without a known end it shows how much is done`() throws {
        let templates = try Templates()
        let known = templates.html("progress", ProgressModel(WorkProgress("Importing", 300, of: 1_000)))
        #expect(known.contains("Importing: 300 of 1000</label>") && known.contains("value=\"300\" max=\"1000\""))
        let unknown = templates.html("progress", ProgressModel(WorkProgress("Receiving", 7)))
        #expect(unknown.contains("Receiving: 7</label>") && !unknown.contains("max="))
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
