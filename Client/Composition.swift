import Backend
import ControllerKit
import Controllers
import CurlTransport
import Foundation
import LocalStore
import SyncEngine

/// What a client process is made from.
struct ClientConfiguration {
    /// Where everything is kept.
    var home: Home
    /// A file of certificates to trust in place of the system's, in PEM.
    var certificates: String?
    /// Names the terminal whose last list numbers refer to.
    var terminal: String
    /// What this device is called in the account's list of devices.
    var deviceName: String
}

/// The composition root: the only place that knows the live implementations.
///
/// - Throws: `LocalStoreError`, with nothing opened.
func buildClient(_ configuration: ClientConfiguration) throws -> Services {
    let store = try LocalStore(home: configuration.home)
    var options = CurlTransport.Options()
    options.certificateAuthorities = configuration.certificates
    let backend = BackendClient(
        transport: CurlTransport(options: options),
        credentials: FileCredentialStore(home: configuration.home), userAgent: "satchel/\(Version.number)")
    let engine = SyncEngine(
        store: store, backend: backend, gate: .file(of: configuration.home),
        executor: BlockingExecutor(label: "satchel.sync"))
    return Services(
        store: store, backend: backend, engine: engine, terminal: configuration.terminal,
        deviceName: configuration.deviceName)
}
