import CanonicalJSON
import Foundation
import SatchelApp
import TestSupport
import Testing

@MainActor
@Suite("Times of day by commands, on devices in two time zones", .timeLimit(.minutes(5)))
struct TimeZoneCommandsTests {
    /// A laptop in Berlin and a desktop in New York, with a task that was added on the laptop.
    @MainActor
    private struct Devices {
        let laptop: CommandDevice
        let desktop: CommandDevice
        let id: String

        init() async throws {
            let account = try SharedServer()
            laptop = try await account.device(timeZone: try #require(TimeZone(identifier: "Europe/Berlin")))
            desktop = try await account.device(timeZone: try #require(TimeZone(identifier: "America/New_York")))
            id = try await laptop.add("Call the bank", "due:2026-12-01T17:00")
            try await meet(laptop, desktop)
        }
    }

    @Test("A time that is added in one time zone is the same time in another, and names where it was typed")
    func shown() async throws {
        let devices = try await Devices()
        for (device, words) in [(devices.laptop, "1 Dec 17:00"), (devices.desktop, "1 Dec 11:00")] {
            #expect(try await device.fields(devices.id)["due"] == "2026-12-01T16:00:00Z[Europe/Berlin]")
            let row = try #require(try await device.state("list")["rows"]?.array?.first?.object)
            #expect(row["due"] == "2026-12-01T16:00:00Z" && row["dueZone"] == "Europe/Berlin")
            #expect(row["dueWords"]?.string == words)
            #expect(try await device.run("list", "--plain").out.contains("\t2026-12-01T16:00:00Z\t"))
        }
    }

    @Test("Devices that set the same time in their own time zones have no conflict")
    func sameTime() async throws {
        let devices = try await Devices()
        try await devices.laptop.run("edit", devices.id, "due:2026-12-02T17:00")
        try await devices.desktop.run("edit", devices.id, "due:2026-12-02T11:00")
        for _ in 0..<2 { try await meet(devices.laptop, devices.desktop) }
        #expect(try await devices.laptop.records("conflicts").isEmpty)
        #expect(try await devices.laptop.fields(devices.id)["due"] == "2026-12-02T16:00:00Z[America/New_York]")
    }

    @Test("Of two different times one is kept with its own time zone, and the other in a conflict")
    func differentTimes() async throws {
        let devices = try await Devices()
        try await devices.laptop.run("edit", devices.id, "due:2026-12-02T17:00")
        try await devices.desktop.run("edit", devices.id, "due:2026-12-02T17:00")
        for _ in 0..<2 { try await meet(devices.laptop, devices.desktop) }
        #expect(try await devices.laptop.fields(devices.id)["due"] == "2026-12-02T22:00:00Z[America/New_York]")
        let conflict = try #require(try await devices.laptop.records("conflicts").first)
        #expect(JSONValue.object(conflict.fields).text.contains("2026-12-02T16:00:00Z[Europe/Berlin]"))
    }
}
