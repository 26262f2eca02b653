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
    /// Whether signing in accepts a server without encryption, see `Services`.
    var acceptsInsecureHTTP = false
}

/// The composition root: the only place that knows the live implementations; `Services` puts them together.
///
/// - Throws: `LocalStoreError`, with nothing opened.
func buildClient(_ configuration: ClientConfiguration) async throws -> Services {
    var options = CurlTransport.Options()
    options.certificateAuthorities = configuration.certificates
    var services = Services(
        store: try await LocalStore.open(configuration.home), transport: CurlTransport(options: options),
        credentials: FileCredentialStore(home: configuration.home), gate: .file(of: configuration.home),
        userAgent: "satchel/\(Version.number)", terminal: configuration.terminal,
        deviceName: configuration.deviceName)
    services.acceptsInsecureHTTP = configuration.acceptsInsecureHTTP
    return services
}
