import Foundation
import Records
import TestSupport
import Testing

@Suite("Local times as texts")
struct LocalTimeTests {
    private func berlin() throws -> Calendar {
        LocalTime.calendar(in: try #require(TimeZone(identifier: "Europe/Berlin")))
    }

    @Test(
        "A time is shown in the user's time zone, midnight is omitted",
        arguments: [
            ("2026-03-28T23:00:00Z", "2026-03-29"), ("2026-03-29T01:00:00Z", "2026-03-29 03:00"),
            ("2026-11-21T05:20:00.123Z", "2026-11-21 06:20"),
        ])
    func moments(text: String, shown: String) throws {
        #expect(LocalTime.short(moment(text), in: try berlin()) == shown)
    }

    @Test("With seconds, midnight is shown, too")
    func seconds() throws {
        let calendar = try berlin()
        let midnight = moment("2026-03-28T23:00:00Z")
        #expect(LocalTime.day(midnight, in: calendar) == "2026-03-29")
        #expect(LocalTime.time(midnight, in: calendar) == "00:00")
        #expect(LocalTime.short(midnight, withSeconds: true, in: calendar) == "2026-03-29 00:00:00")
    }
}
