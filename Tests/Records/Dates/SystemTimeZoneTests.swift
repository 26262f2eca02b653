import Foundation
import Testing

@testable import Records

@Suite("The variable TZ")
struct SystemTimeZoneTests {
    private func zone(_ variable: String?, links: [String: String] = [:]) -> SystemTimeZone {
        SystemTimeZone(variable: variable) { links[$0] ?? $0 }
    }

    @Test(
        "A name is a time zone, also after a colon and as the path of its file",
        arguments: [
            "Europe/Berlin", ":Europe/Berlin", "posix/Europe/Berlin", ":right/Europe/Berlin",
            "/usr/share/zoneinfo/Europe/Berlin", ":/usr/share/zoneinfo/posix/Europe/Berlin",
            "/etc/zoneinfo/Europe/Berlin", "/etc/localtime", ":/etc/localtime",
        ])
    func names(text: String) {
        let zone = zone(text, links: ["/etc/localtime": "/usr/share/zoneinfo/Europe/Berlin"])
        #expect(zone.timeZone.identifier == "Europe/Berlin")
        #expect(zone.warning == nil)
    }

    @Test(
        "A rule of POSIX with one offset is that offset",
        arguments: [
            ("<+03>-3", 10_800), ("EST5", -18_000), ("EST+5", -18_000), ("UTC0", 0), ("<+0530>-5:30", 19_800),
            ("<-00>0:00:30", -30), (":<+03>-3", 10_800), ("GMT+3", -10_800),
        ])
    func fixedRules(text: String, offset: Int) {
        #expect(zone(text).timeZone.secondsFromGMT() == offset)
        #expect(zone(text).warning == nil)
    }

    @Test("A name that looks like a rule is the time zone of this name")
    func ruleAsName() {
        #expect(zone("EST5EDT").timeZone.identifier == "EST5EDT")
        #expect(zone("Etc/GMT+5").timeZone.secondsFromGMT() == -18_000)
    }

    @Test("An empty variable means UTC, and no variable the time zone of the system", arguments: ["", ":"])
    func empty(text: String) {
        #expect(zone(text) == zone("UTC0"))
        #expect(zone(nil).timeZone == .current)
        #expect(zone(nil).warning == nil)
    }

    @Test(
        "Any other text is UTC with a warning",
        arguments: [
            "CET-1CEST", "EST5EDT,M3.2.0,M11.1.0", "Nonsense", "Europe/", "../Europe/Berlin", "/etc/passwd",
            "/usr/share/zoneinfo/", "<+03>-25", "AB3", "Europe/Berlin\n",
        ])
    func unknown(text: String) {
        #expect(zone(text).timeZone.secondsFromGMT() == 0)
        #expect(zone(text).unknown == text)
        #expect(zone(text).warning?.contains("The variable TZ is “\(text)”") == true)
    }
}
