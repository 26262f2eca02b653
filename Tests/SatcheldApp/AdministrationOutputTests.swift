import ArgumentParser
import Configuration
import Foundation
import ServerCore
import Testing

@testable import SatcheldApp

@Suite struct QuotaValueTests {
    @Test(
        arguments: [
            ("0", 0), ("5000", 5_000), ("1K", 1_024), ("5m", 5 << 20), ("2G", 2 << 30), ("1T", 1 << 40),
            ("unlimited", Int64.max),
        ] as [(String, Int64)])
    func aLimitIsANumberWithAPowerOf1024(_ text: String, _ limit: Int64) {
        #expect(QuotaValue(argument: text)?.limit == limit)
    }

    @Test func defaultRemovesALimit() throws {
        let value = try #require(QuotaValue(argument: "default"))
        #expect(value.limit == nil)
    }

    @Test(arguments: ["", "-1", "+1", "1.5G", "5MB", "K", "lots", "9223372036854775807K", "１"])
    func anythingElseIsNoLimit(_ text: String) {
        #expect(QuotaValue(argument: text) == nil)
    }

    @Test(
        arguments: [
            (0, "0 B"), (1_023, "1023 B"), (1_024, "1 KiB"), (1_536, "1.5 KiB"), (5 << 20, "5 MiB"), (1 << 30, "1 GiB"),
            (3 << 50, "3072 TiB"),
        ] as [(Int64, String)])
    func aSizeIsShownInTheLargestUnit(_ bytes: Int64, _ text: String) {
        #expect(Shown.bytes(bytes) == text)
    }

    @Test(
        arguments: [
            (5, 7, "5"), (nil, 7, "7 (default)"), (Int64.max, 7, "unlimited"), (nil, Int64.max, "unlimited (default)"),
        ] as [(Int64?, Int64, String)])
    func aLimitOfTheServerIsMarked(_ own: Int64?, _ rule: Int64, _ text: String) {
        #expect(Shown.limit(own, default: rule) == text)
    }

    @Test(
        arguments: [
            ("1000000", "unlimited", 1_000_000, Int64.max), ("7", "500M", 7, 500 << 20),
        ] as [(String, String, Int64, Int64)])
    func theServersLimitsAreSettings(_ records: String, _ bytes: String, _ wanted: Int64, _ wantedBytes: Int64)
        async throws
    {
        let settings = try await ServeSettings(
            arguments: ["--data", "/nowhere", "--quota-records", records, "--quota-bytes", bytes])
        #expect(settings.server.quota == QuotaRules(records: wanted, bytes: wantedBytes))
    }

    @Test(arguments: ["0", "-5", "default", "many"])
    func aServersLimitIsAtLeastOne(_ text: String) async {
        await #expect(throws: SettingsError.self) {
            try await ServeSettings(arguments: ["--data", "/nowhere", "--quota-devices=\(text)"])
        }
    }
}

@Suite struct TextTableTests {
    private let columns: [TextTable.Column] = [
        .init(title: "NAME", isFlexible: true), .init(title: "N", isRightAligned: true), .init(title: "LAST"),
    ]

    @Test func columnsAreAlignedAndLinesHaveNoSpacesAtTheirEnd() {
        let table = TextTable(columns, rows: [["a", "10", "x"], ["long", "5", ""]])
        #expect(table.text == "NAME   N  LAST\na     10  x\nlong   5\n")
    }

    @Test func theFlexibleColumnIsShortenedToFitInto80Columns() {
        let table = TextTable(columns, rows: [[String(repeating: "n", count: 100), "1", "2026-11-26 06:10"]])
        let lines = table.text.split(separator: "\n")
        #expect(lines.map(\.count).max() == 80)
        #expect(lines[1].contains("n…"))
    }

    @Test func textsCannotControlTheTerminalNorBreakTheTable() {
        let table = TextTable(columns, rows: [["a\u{1B}[31m\nb\tc", "1", "x"]])
        #expect(!table.text.contains("\u{1B}"))
        #expect(table.text.split(separator: "\n").count == 2)
    }
}

@Suite struct ShownSettingTests {
    private func shown(_ arguments: [String]) async throws -> [Setting: ShownSetting] {
        let settings = try await ServeSettings.shown(ServeFlags.parse(arguments)).all
        return Dictionary(uniqueKeysWithValues: settings.map { ($0.setting, $0) })
    }

    @Test func eachSettingIsShownWithItsSource() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
        try Data(#"{"revisions": 5, "port": 1, "quotaBytes": "2G"}"#.utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let shown = try await shown(["--config", file.path, "--port", "2", "--insecure-http"])
        #expect(shown.count == Setting.allCases.count)
        func text(_ setting: Setting) -> String? {
            shown[setting].map { "\($0.value) \($0.source.words(for: setting))" }
        }
        #expect(text(.port) == "2 --port")
        #expect(text(.insecureHTTP) == "true --insecure-http")
        #expect(text(.revisions) == "5 \(file.lastPathComponent)")
        #expect(text(.quotaBytes) == "2G \(file.lastPathComponent)")
        #expect(text(.trustedProxies) == "none default")
        #expect(text(.tombstoneRetention) == "90 default")
        #expect(text(.maxConnections) == "automatic default")
    }

    @Test(
        arguments: [
            ([], "automatic (open)"), (["--trusted-proxy", "127.0.0.1"], "automatic (invite)"),
            (["--registration", "invite"], "invite"), (["--quota-bytes", "lots"], "automatic"),
        ] as [([String], String)])
    func anAutomaticRegistrationIsShownWithTheRuleThatApplies(_ arguments: [String], _ value: String) async throws {
        #expect(try await shown(arguments)[.registration]?.shown == value)
    }

    @Test func allSettingsAreShownAlsoIfOneIsWrong() async throws {
        let settings = try await ServeSettings.shown(ServeFlags.parse(["--quota-bytes", "lots"]))
        #expect(settings.all.count == Setting.allCases.count)
        #expect(throws: SettingsError.self) { _ = try settings.checked.get() }
    }
}
