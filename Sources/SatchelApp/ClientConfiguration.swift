internal import ControllerKit
public import Controllers
internal import CurlTransport
internal import Foundation
public import LineView
public import LocalStore
internal import PrivateFiles
internal import Processes
internal import SyncEngine
public import WebPageView

/// The configuration of a client process.
public struct ClientConfiguration: Sendable {
    /// The client program.
    public let client: ClientProgram
    /// The directory of the client's files.
    public var home: Home
    /// A PEM file of certificates to trust in place of the system's.
    public var certificates: String?
    /// The name of the terminal, for the numbers of the last list.
    public var terminal: String
    /// The name of this device in the account's list of devices.
    public var deviceName: String
    /// Whether signing in accepts a server without encryption, see `Services`.
    public var acceptsInsecureHTTP = false
    /// Whether a front end that is read-only by default may change records.
    public var mayWrite = false
    /// Whether the programs in the home's `hooks/` run.
    public var runsHooks = true
    /// The user's settings; by default those without a file.
    public var settings = LoadedSettings()
    /// The file of settings of the command line; nil: none.
    private(set) var settingsOption: String?

    /// Creates the configuration of a process.
    ///
    /// - Parameters:
    ///   - client: The program; its `variablePrefix` begins the names of the variables.
    ///   - home: The home of the command line; nil: the variable `PREFIX_HOME`, or the default.
    ///   - certificates: The certificates of the command line; nil: the variable `PREFIX_CA_FILE`, or the system's.
    public init(
        _ client: ClientProgram = .satchel, home: String? = nil, certificates: String? = nil,
        environment: [String: String]
    ) {
        self.client = client
        self.home = .resolve(client.home, option: home, environment: environment)
        self.certificates = certificates ?? environment[client.program.variable("CA_FILE")]
        terminal = TerminalName.current
        deviceName = ProcessInfo.processInfo.hostName
        acceptsInsecureHTTP = environment[client.program.variable("INSECURE_HTTP")] == "1"
    }

    /// Reads the settings: the configuration file, then the variables of single settings.
    ///
    /// - Parameter file: The file of the command line; nil: the variable `PREFIX_CONFIG`, or the default.
    public mutating func readSettings(_ file: String? = nil, environment: [String: String]) {
        settingsOption = file
        settings = ConfigurationFile(client.program, option: file, environment)?.settings() ?? LoadedSettings()
        settings.apply(environment, of: client.program)
    }

    /// Creates the live services. No other function names their implementations.
    ///
    /// - Throws: `LocalStoreError`; nothing is opened then.
    public func liveServices() async throws -> Services {
        services(with: try await LocalStore.open(home, types: client.types))
    }

    /// Returns services with a cache in memory, for a command that stores nothing in a home that doesn't exist.
    func servicesInMemory() throws -> Services {
        services(with: try LocalStore(inMemoryWithWall: LocalStore.systemWall, types: client.types))
    }

    private func services(with store: LocalStore) -> Services {
        var options = CurlTransport.Options()
        options.certificateAuthorities = certificates
        return Services(
            store: store, transport: CurlTransport(options: options),
            credentials: FileCredentialStore(
                home: home, command: credentialCommand, commandLimit: AnsweringProgram.timeLimit),
            gate: .file(of: home),
            userAgent: "\(client.program.command)/\(client.program.version)", terminal: terminal,
            deviceName: deviceName, acceptsInsecureHTTP: acceptsInsecureHTTP)
    }
}

extension ClientConfiguration {
    /// The user's program that stores tokens; nil: none.
    private var credentialCommand: CredentialCommand? {
        let words = settings.values.credentialCommand
        guard !words.isEmpty else { return nil }
        let program = AnsweringProgram(words, in: home.directory.path)
        return CredentialCommand(words.joined(separator: " ")) { operation, input in
            let outcome = await program.run([operation], input: input)
            return .init(output: outcome.output, failure: outcome.failure.map { outcome.explained($0) })
        } obstacle: {
            program.obstacle
        }
    }
}

extension AnsweringProgram.Outcome {
    /// Returns the failure with the first line of the program's messages.
    fileprivate func explained(_ failure: String) -> String {
        guard let line = messages.split(whereSeparator: \.isNewline).first else { return failure }
        // Long enough for a path and a reason.
        return "\(failure) (\(line.prefix(200)))"
    }
}

/// Names the terminal of a process, so that the numbers of a list are those that this terminal showed last.
enum TerminalName {
    /// The terminal device and its session (setsid(2)); for a process without a terminal, the session alone.
    static var current: String {
        // A new terminal may have the device name of a closed one, but has another session.
        let device = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].lazy.compactMap(name).first ?? "none"
        return "\(device):\(getsid(0))"
    }

    private static func name(of descriptor: Int32) -> String? {
        // ttyname(3) isn't thread-safe.
        var buffer = [CChar](repeating: 0, count: 256)
        guard ttyname_r(descriptor, &buffer, buffer.count) == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension LineSession.Memory {
    /// Returns a memory that stores the open screens of a prompt in a file of the home, `prompt.json`.
    ///
    /// Errors are ignored: without the file, the next prompt begins without open screens.
    public static func file(of home: Home) -> Self {
        let file = PrivateFile(path: home.promptMemory.path)
        return Self(
            load: {
                // If the file is missing or of another version, a session begins without open screens.
                guard let data = FileManager.default.contents(atPath: file.path) else { return SessionMemory() }
                return (try? JSONDecoder().decode(SessionMemory.self, from: data)) ?? SessionMemory()
            },
            save: { memory in
                // Errors are ignored here and below, see above.
                guard let data = try? JSONEncoder().encode(memory) else { return }
                try? file.replace(with: data)
            })
    }
}

extension PageMemory {
    /// Returns a memory that stores the address of the screen that is open on a page in a file of the home, `page.txt`.
    ///
    /// Errors are ignored: without the file, the next page begins with the first screen.
    public static func file(of home: Home) -> Self {
        let file = PrivateFile(path: home.pageMemory.path)
        return Self(
            load: { FileManager.default.contents(atPath: file.path).map { String(decoding: $0, as: UTF8.self) } },
            // Errors are ignored, see above.
            save: { try? file.replace(with: Data($0.utf8)) })
    }
}

/// The user's browser.
public enum BrowserLaunch {
    /// Opens a file with the desktop's default program, and doesn't wait for it.
    ///
    /// - Parameter file: The path of the file.
    /// - Throws: `Failure` if xdg-open isn't installed; another error if it can't be started.
    public static func open(_ file: String) throws {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        let programs = folders.map { "\($0)/xdg-open" }
        guard let program = programs.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw Failure(
                .failed, "The browser can't be opened: xdg-open is not installed. Open the link yourself.")
        }
        try DetachedProgram(path: program, arguments: [file]).start()
    }
}
