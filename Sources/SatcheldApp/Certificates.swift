import Foundation
import Logging
import ServerCore
import ServiceLifecycle
import UnixSignals

extension ServeSettings {
    /// Reads the certificate for TLS, and logs until when it is valid; nil if the settings name none.
    ///
    /// - Throws: `CertificateError`.
    func certificate(_ logger: Logger) throws(CertificateError) -> ServerCertificate? {
        guard let tls else { return nil }
        let certificate = try ServerCertificate(certificate: tls.certificate, key: tls.key)
        certificate.log("read the certificate for TLS", logger)
        return certificate
    }
}

/// Reads the certificate again at each SIGHUP, until the server shuts down.
struct CertificateReload: Service {
    let certificate: ServerCertificate
    let logger: Logger

    func run() async {
        for await _ in await UnixSignalsSequence(trapping: .sighup).cancelOnGracefulShutdown() { reload() }
    }

    /// Reads the certificate again. If that fails, the present one stays, and the log says why.
    func reload() {
        do {
            try certificate.reload()
            certificate.log("read the certificate for TLS again", logger)
        } catch {
            logger.error("the new certificate for TLS is not used, the previous one stays: \(error)")
        }
    }
}

extension ServerCertificate {
    fileprivate func log(_ event: Logger.Message, _ logger: Logger) {
        logger.notice(event, metadata: ["expires": "\(expiry.formatted(.iso8601))"])
        if expiry <= Date() { logger.warning("the certificate for TLS has expired: clients refuse it") }
        if isKeyExposed {
            logger.warning("other users of this machine can read the key for TLS: run chmod o= on its file")
        }
    }
}
