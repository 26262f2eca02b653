import Backend
import CurlTransport
import Foundation
import Logging
import ServiceLifecycle
import SyncAPI
import TestSupport
import Testing

@testable import SatcheldApp
@testable import ServerCore

@Suite struct ServerAppTests {
    @Test func `the process ends within 10 s of SIGTERM, after requests and the store had their time`() {
        #expect(LastDeadline.delay == .milliseconds(9_500))
        #expect(ConnectionRules.shutdown + ServerApp.closing < .milliseconds(9_500))
    }

    @Test func `a server that is started in this process listens, answers, and ends with its group`() async throws {
        try await withTemporaryDirectory { directory in
            let settings = try await ServeSettings(arguments: ["--port", "0", "--data", directory.path])
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let (addresses, listening) = AsyncStream.makeStream(of: String.self)
            let app = ServerApp(settings, logger: logger) { listening.yield($0) }
            let group = ServiceGroup(services: [app], logger: logger)
            let running = Task {
                defer { listening.finish() }
                try await group.run()
            }
            let url = try #require(await addresses.first { _ in true })
            let response = try await CurlTransport().send(HTTPRequest(method: "GET", url: url + "/v1"))
            #expect(response.head.status == 200)
            await group.triggerGracefulShutdown()
            try await running.value
            await #expect(throws: (any Error).self) {
                try await CurlTransport().send(HTTPRequest(method: "GET", url: url + "/v1"))
            }
        }
    }

    @Test func `the first invitation is written into a data directory that doesn't exist yet`() async throws {
        try await withTemporaryDirectory { directory in
            let (server, data) = (try InProcessServer(), directory.appending(path: "var/data"))
            let first = FirstInvitation(
                store: server.store, directory: data, terminal: nil, logger: Logger(label: "test"))
            // Nothing is left for a terminal.
            let shown = try await first.make()
            #expect(shown?.code == nil)
            let file = data.appending(path: FirstInvitation.fileName)
            #expect(FileManager.default.fileExists(atPath: file.path))
        }
    }

    @Test func `a first invitation that can't be written is an error that says what to do`() async throws {
        try await withTemporaryDirectory { directory in
            let (server, file) = (try InProcessServer(), directory.appending(path: "file"))
            try Data().write(to: file)
            let first = FirstInvitation(
                store: server.store, directory: file.appending(path: "data"), terminal: nil,
                logger: Logger(label: "test"))
            await #expect {
                _ = try await first.make()
            } throws: { error in
                "\(error)".contains("--data") && "\(error)".contains("satcheld invite add")
            }
        }
    }

    @Test func `a port in use is named, with what to do`() async throws {
        try await withTemporaryDirectory { directory in
            try await InProcessServer().withSocket { url in
                let port = url.split(separator: ":").last.map(String.init) ?? ""
                let settings = try await ServeSettings(arguments: ["--port", port, "--data", directory.path])
                let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                let group = ServiceGroup(services: [ServerApp(settings, logger: logger) { _ in }], logger: logger)
                await #expect {
                    try await group.run()
                } throws: {
                    "\($0)" == "port \(port) on 127.0.0.1 is in use; choose another one with --port"
                }
            }
        }
    }

    @Test func `an address of the metrics in use is named before the server announces itself`() async throws {
        try await withTemporaryDirectory { directory in
            try await InProcessServer().withSocket { url in
                let port = url.split(separator: ":").last.map(String.init) ?? ""
                let settings = try await ServeSettings(arguments: [
                    "--port", "0", "--data", directory.path, "--metrics-address", "127.0.0.1:\(port)",
                ])
                let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
                let app = ServerApp(settings, logger: logger) { Issue.record("announced \($0)") }
                let group = ServiceGroup(services: [app], logger: logger)
                await #expect {
                    try await group.run()
                } throws: {
                    "\($0)" == "port \(port) on 127.0.0.1 is in use; choose another one with --metrics-address"
                }
            }
        }
    }

    @Test(
        arguments: [
            ("127.0.0.1:80", "127.0.0.1", 80, true), ("127.0.0.1:80", "localhost", 80, true),
            ("127.0.0.1:80", "0.0.0.0", 80, true), ("[::]:80", "127.0.0.1", 80, true),
            ("127.0.0.1:81", "127.0.0.1", 80, false), ("127.0.0.1:0", "127.0.0.1", 0, false),
            ("127.0.0.1:80", "192.0.2.1", 80, false), ("127.0.0.2:80", "localhost", 80, false),
            ("[::1]:80", "LOCALHOST", 80, true), ("127.0.0.1:80", "0:0:0:0:0:0:0:0", 80, true),
            ("[::1]:80", "0.0.0.0", 80, false), ("[::1]:80", "::", 80, true), ("0.0.0.0:80", "::1", 80, false),
        ] as [(String, String, Int, Bool)])
    func `the metrics can't have the server's own address`(text: String, host: String, port: Int, overlaps: Bool) {
        let address = MetricsAddress(text)
        #expect(address?.overlaps(.port(port, host: host)) == overlaps)
        #expect(address?.overlaps(.unixSocket(path: "/run/socket", mode: 0o600)) == false)
    }

    @Test func `a configuration file may begin with a byte order mark`() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending(path: "settings.json")
            try Data("\u{FEFF}{\"port\": 9001}".utf8).write(to: file)
            let settings = try await ServeSettings(arguments: ["--config", file.path])
            #expect(settings.port == 9_001)
        }
    }

    @Test func `a flag takes precedence over the configuration file, and that over the default`() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending(path: "settings.json")
            try Data(#"{"port": 9001, "host": "::1"}"#.utf8).write(to: file)
            let settings = try await ServeSettings(arguments: ["--config", file.path, "--port", "9002"])
            #expect(settings.port == 9_002)
            #expect(settings.address == "[::1]")
            #expect(settings.logLevel == .info)
        }
    }

    @Test func `a misspelt member is refused with the nearest name`() async throws {
        try await withTemporaryDirectory { directory in
            let file = directory.appending(path: "settings.json")
            try Data(#"{"prot": 9001}"#.utf8).write(to: file)
            await #expect {
                _ = try await ServeSettings(arguments: ["--config", file.path])
            } throws: {
                "\($0)".hasSuffix("has a member prot, which is unknown; did you mean port?")
            }
        }
    }

    @Test func `an empty data directory is refused`() async throws {
        let error = await #expect(throws: SettingsError.self) {
            _ = try await ServeSettings(arguments: ["--data", ""])
        }
        #expect(error.map { "\($0)" } == "the data directory is empty: name one with --data, or unset SATCHELD_DATA")
    }

    @Test func `an address that others can reach requires consent to plain http`() async throws {
        await #expect(throws: SettingsError.self) { _ = try await ServeSettings(arguments: ["--host", "0.0.0.0"]) }
        let settings = try await ServeSettings(arguments: ["--host", "0.0.0.0", "--insecure-http"])
        #expect(settings.isExposed)
    }

    @Test func `an address that others can reach needs no consent with TLS, nor does a Unix socket`() async throws {
        let tls = ["--tls-certificate", "c.pem", "--tls-key", "k.pem"]
        #expect(try await !ServeSettings(arguments: ["--host", "0.0.0.0"] + tls).isExposed)
        #expect(try await !ServeSettings(arguments: ["--host", "0.0.0.0", "--socket", "/run/socket"]).isExposed)
    }

    @Test(
        arguments: [
            ["--tls-certificate", "c.pem"], ["--tls-key", "k.pem"],
            ["--socket", "/run/socket", "--tls-certificate", "c.pem", "--tls-key", "k.pem"],
            ["--socket", "/run/socket", "--socket-mode", "70"], ["--socket", "/run/socket", "--socket-mode", "8"],
            ["--socket", "/run/socket", "--socket-mode", "1666"],
        ])
    func `half a pair of TLS files, TLS on a socket, and a mode that locks the owner out are refused`(
        _ arguments: [String]
    ) async throws {
        await #expect(throws: SettingsError.self) { _ = try await ServeSettings(arguments: arguments) }
    }

    @Test func `the address for clients names TLS, or the socket`() async throws {
        let tls = ["--tls-certificate", "c.pem", "--tls-key", "k.pem"]
        #expect(try await ServeSettings(arguments: []).url(port: 80) == "http://127.0.0.1:80")
        #expect(try await ServeSettings(arguments: ["--host", "::1"] + tls).url(port: 443) == "https://[::1]:443")
        #expect(try await ServeSettings(arguments: ["--socket", "/run/socket"]).url(port: 0) == "unix:/run/socket")
    }

    @Test(
        arguments: [
            (["--host", "127.0.0.1"], Capabilities.Registration.open), (["--host", "localhost"], .open),
            (["--host", "0.0.0.0", "--insecure-http"], .invite), (["--registration", "invite"], .invite),
            (["--host", "0.0.0.0", "--insecure-http", "--registration", "open"], .open),
            (["--trusted-proxy", "127.0.0.1"], .invite),
            (["--trusted-proxy", "127.0.0.1", "--registration", "open"], .open),
            (["--host", "::1", "--registration", "automatic"], .open), (["--registration", "closed"], .closed),
            (["--host", "0.0.0.0", "--socket", "/run/satcheld/socket"], .open),
            (["--host", "0.0.0.0", "--tls-certificate", "c.pem", "--tls-key", "k.pem"], .invite),
        ] as [([String], Capabilities.Registration)])
    func `registration is open on this machine alone and by invitation elsewhere, unless it is set`(
        _ arguments: [String], _ registration: Capabilities.Registration
    ) async throws {
        #expect(try await ServeSettings(arguments: arguments).server.registration == registration)
    }

    @Test func `behind an unknown proxy, registration is by invitation unless the owner opened it`() async throws {
        #expect(try await ServeSettings(arguments: []).server.invitesBehindUnknownProxy)
        let opened = try await ServeSettings(arguments: ["--registration", "open"]).server
        #expect(!opened.invitesBehindUnknownProxy)
    }

    @Test func `the cost of a password is a setting, in MiB`() async throws {
        let cost = try await ServeSettings(arguments: ["--password-memory", "64"]).server.passwordCost
        #expect(cost == PasswordCost(memory: 65_536, iterations: 2, parallelism: 1))
        #expect(try await ServeSettings(arguments: []).server.passwordCost == .standard)
    }

    @Test(
        arguments: [
            ("1m", Int64(60_000)), ("36h", 129_600_000), ("7d", 604_800_000), ("2w", 1_209_600_000), ("0d", nil),
            ("-1d", nil),
            ("7", nil), ("d", nil), ("", nil), ("1.5d", nil), ("99999999999999999w", nil),
        ] as [(String, Int64?)])
    func `the lifetime of an invitation is a number with a unit`(_ text: String, _ milliseconds: Int64?) {
        #expect(Lifetime(argument: text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [("60m", "1h"), ("90m", "90m"), ("2w", "14d"), ("7d", "7d")])
    func `a lifetime is shown in the largest unit that divides it`(_ text: String, _ shown: String) {
        #expect(Lifetime(argument: text)?.description == shown)
    }
}
