internal import ControllerKit
public import Controllers
internal import CurlTransport
internal import Foundation
internal import LineView
public import LocalStore
internal import PrivateFiles
internal import Processes
internal import SatchelScreens
internal import SyncEngine
internal import WebPageView

/// What a client process is made from.
public struct ClientConfiguration: Sendable {
    /// Where everything is kept.
    public var home: Home
    /// A file of certificates to trust in place of the system's, in PEM.
    public var certificates: String?
    /// Names the terminal whose last list numbers refer to.
    public var terminal: String
    /// What this device is called in the account's list of devices.
    public var deviceName: String
    /// Whether signing in accepts a server without encryption, see `Services`.
    public var acceptsInsecureHTTP = false
    /// Whether a front end that is read-only by itself may change records.
    public var mayWrite = false

    /// The configuration of a process.
    ///
    /// - Parameters:
    ///   - home: The home that was named on the command line; nil: `SATCHEL_HOME`, or the usual one.
    ///   - certificates: The certificates that were named on the command line; nil: `SATCHEL_CA_FILE`, or the system's.
    public init(home: String?, certificates: String?, environment: [String: String]) {
        self.home = .resolve(.satchel, option: home, environment: environment)
        self.certificates = certificates ?? environment["SATCHEL_CA_FILE"]
        terminal = TerminalName.current
        deviceName = ProcessInfo.processInfo.hostName
        acceptsInsecureHTTP = environment["SATCHEL_INSECURE_HTTP"] == "1"
    }

    /// The live services: the only place that knows the implementations; `Services` puts them together.
    ///
    /// - Throws: `LocalStoreError`, with nothing opened.
    public func liveServices() async throws -> Services {
        var options = CurlTransport.Options()
        options.certificateAuthorities = certificates
        return Services(
            store: try await LocalStore.open(home), transport: CurlTransport(options: options),
            credentials: FileCredentialStore(home: home), gate: .file(of: home),
            userAgent: "\(Program.satchel.command)/\(Program.satchel.version)", terminal: terminal,
            deviceName: deviceName, acceptsInsecureHTTP: acceptsInsecureHTTP)
    }
}

extension Home.Names {
    /// Satchel's home: `satchel` among the person's data, or what `SATCHEL_HOME` names.
    static let satchel = Home.Names(directory: "satchel", variable: "SATCHEL_HOME", cache: "satchel.db")
}

/// Names the terminal that a process belongs to, so that numbers of a list are those that this terminal showed last.
enum TerminalName {
    /// The terminal device and the session on it (setsid(2)); for a process without a terminal, the session alone.
    static var current: String {
        let device = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].lazy.compactMap(name).first ?? "none"
        return "\(device):\(getsid(0))"
    }

    private static func name(of descriptor: Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard ttyname_r(descriptor, &buffer, buffer.count) == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension LineSession.Memory {
    /// Keeps what a prompt has open in a file of the home.
    static func file(of home: Home) -> Self {
        let file = PrivateFile(path: home.directory.appending(path: "prompt.json").path)
        return Self(
            load: {
                // A session begins with nothing open if the file is missing or of another version.
                guard let data = FileManager.default.contents(atPath: file.path) else { return SessionMemory() }
                return (try? JSONDecoder().decode(SessionMemory.self, from: data)) ?? SessionMemory()
            },
            save: { memory in
                guard let data = try? JSONEncoder().encode(memory) else { return }
                // Losing it costs the next prompt its open screens, and nothing else.
                try? file.replace(with: data)
            })
    }
}

extension PageMemory {
    /// Keeps the address in a file of the home.
    static func file(of home: Home) -> Self {
        let file = PrivateFile(path: home.directory.appending(path: "page.txt").path)
        return Self(
            load: { FileManager.default.contents(atPath: file.path).map { String(decoding: $0, as: UTF8.self) } },
            // Losing it costs the next page its beginning, and nothing else.
            save: { try? file.replace(with: Data($0.utf8)) })
    }
}

/// The person's browser.
enum BrowserLaunch {
    /// Opens a file with the desktop's default program, without waiting for it.
    ///
    /// - Throws: `Failure` where the machine has no desktop that could, `LaunchFailure` where it can't be started.
    static func open(_ file: String) throws {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let programs = folders.map { "\($0)/xdg-open" }
        guard let program = programs.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw Failure(
                .failed, "The browser can't be opened: xdg-open is not installed. Open the link yourself.")
        }
        try DetachedProgram(path: program, arguments: [file]).start()
    }
}
