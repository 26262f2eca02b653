import Foundation
import Records
import Testing

@testable import Controllers

@Suite("The value of a field in a view")
struct ShownValueTests {
    private static let text = "2026-11-21T05:22:00Z"

    @Test("a date is shown as the view writes dates")
    func date() throws {
        let shown = ShownValue(Self.text, isMoment: true)
        #expect(shown == .date(try #require(DateValue(Self.text))))
        #expect(shown.text { "\(Int($0.timeIntervalSince1970)) s" } == "1795238520 s")
    }

    @Test(
        "a time that was typed in a time zone with other clocks has its own time of day, too",
        arguments: [
            ("America/New_York", "11:00 (17:00 Europe/Berlin)"), ("Europe/Paris", "17:00"),
            ("Asia/Tokyo", "01:00 (2026-12-01 17:00 Europe/Berlin)"),
        ])
    func zone(zone: String, text: String) throws {
        let zone = try #require(TimeZone(identifier: zone))
        let shown = ShownValue("2026-12-01T16:00:00Z[Europe/Berlin]", isMoment: true)
        #expect(shown.text(in: zone) { LocalTime.time($0, in: LocalTime.calendar(in: zone)) } == text)
    }

    @Test("a value that isn't a date is shown unchanged", arguments: ["soon", "2026-02-30T00:00:00Z", ""])
    func unreadable(text: String) {
        let shown = ShownValue(text, isMoment: true)
        #expect(shown == .text(text))
        #expect(shown.text { _ in "a date" } == text)
    }

    @Test("a date in a field of another kind is shown unchanged")
    func otherKind() {
        #expect(ShownValue(Self.text, isMoment: false) == .text(Self.text))
    }
}
