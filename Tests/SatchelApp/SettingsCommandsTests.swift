import CanonicalJSON
import ControllerKit
import Controllers
import Foundation
import SatchelApp
import TestSupport
import Testing

@MainActor
@Suite("The configuration file by commands", .timeLimit(.minutes(5)))
final class SettingsCommandsTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    private var path: String { folder.appending(path: "config.toml").path }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func device(_ text: String) throws -> CommandDevice {
        try Data(text.utf8).write(to: URL(filePath: path))
        let device = try CommandDevice.alone()
        device.config = path
        return device
    }

    @Test("An alias is a command, with further words")
    func alias() async throws {
        let device = try device("[aliases]\nurgent = \"list priority:H\"\n")
        try await device.run("add", "Milk", "priority:H", "+shop")
        try await device.run("add", "Paint", "priority:H")
        #expect(try await device.state("urgent")["total"] == 2)
        #expect(try await device.state("urgent", "+shop")["total"] == 1)
    }

    @Test(
        "An error stops a command before it does anything, with the file, the line and the reason; `config` shows it",
        arguments: [
            ("theme = \"dark\"\n\nweek-start = \"noday\"\n", ":3: week-start must be"),
            ("wek-start = \"monday\"\n", ":1: unknown setting “wek-start”. Did you mean “week-start”?"),
            ("a = \n", ":1: this isn't TOML"), ("[aliases]\nlist = \"add x\"\n", ":2: “list” is a command"),
            ("[aliases]\na = \"b\"\nb = \"a\"\n", ":2: the alias “a” refers to itself"),
        ])
    func error(text: String, expected: String) async throws {
        let device = try device(text)
        let answer = try await device.attempt("add", "Milk")
        #expect(answer.status == .usage)
        #expect(answer.err.split(separator: "\n").joined(separator: " ").contains(path + expected), "\(answer.err)")
        let shown = try await device.attempt("config", "--json")
        #expect(shown.status == .usage)
        #expect(shown.out.contains(expected), "\(shown.out)")
        device.config = nil
        #expect(try await device.titles() == [])
    }

    @Test("A file that is too large or missing is an error if it is named, and an empty variable names none")
    func unreadable() async throws {
        let device = try device(String(repeating: "#", count: (1 << 20) + 1))
        #expect(try await device.attempt("list").err.contains("it is larger than 1 MiB"))
        device.config = path + ".missing"
        #expect(try await device.attempt("list").status == .usage)
        var configuration = ClientConfiguration(environment: [:])
        configuration.readSettings(environment: ["SATCHEL_CONFIG": "", "SATCHEL_THEME": "dark"])
        #expect(configuration.settings.file == nil)
        #expect(configuration.settings.values.theme == .dark)
        configuration.readSettings(environment: ["XDG_CONFIG_HOME": folder.path])
        #expect(configuration.settings.file?.path == folder.path + "/satchel/config.toml")
        #expect(configuration.settings.errors.isEmpty, "the default file may be missing")
    }

    @Test("`config` shows the file and each setting with its line")
    func config() async throws {
        let device = try device("# mine\ntheme = \"none\"\n")
        let out = try await device.run("config").out
        #expect(out.contains("File: \(path) (from --config)"))
        #expect(try await device.run("config", "--plain").out.contains("theme\tnone\t\(path):2\n"))
    }
}
