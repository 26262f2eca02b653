internal import ControllerKit
public import Controllers
internal import CurlTransport
internal import Foundation
public import LocalStore
internal import SatchelScreens
internal import SyncEngine

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
