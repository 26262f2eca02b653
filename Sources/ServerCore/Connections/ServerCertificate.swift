public import Foundation
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import NIOSSL

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// The certificate and the key with which a server identifies itself over TLS, from PEM files that may be replaced while
/// it runs. Safe to use from any thread.
public final class ServerCertificate: Sendable {
    /// The names of the protocols in ALPN (RFC 7301).
    static let http2 = "h2", http1 = "http/1.1"

    private let certificateFile: String
    private let keyFile: String
    private let loaded: NIOLockedValueBox<Loaded>

    private struct Loaded: Sendable {
        let context: NIOSSLContext
        let expiry: Date
    }

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - certificate: The path of a PEM file with the server's certificate, followed by those of the authorities in
    ///     between.
    ///   - key: The path of a PEM file with the certificate's private key, not encrypted.
    public init(certificate: String, key: String) throws(CertificateError) {
        certificateFile = certificate
        keyFile = key
        loaded = NIOLockedValueBox(try Self.load(certificate, key))
    }

    /// Reads the files again. New connections get the new certificate; after an error, still the present one.
    public func reload() throws(CertificateError) {
        let new = try Self.load(certificateFile, keyFile)
        loaded.withLockedValue { $0 = new }
    }

    /// The time from which clients refuse the certificate.
    public var expiry: Date { loaded.withLockedValue(\.expiry) }

    /// Whether all users of the machine may read the key.
    public var isKeyExposed: Bool {
        // If the mode can't be read, there is nothing to report.
        let attributes = try? FileManager.default.attributesOfItem(atPath: keyFile)
        return (attributes?[.posixPermissions] as? Int).map { $0 & 0o007 != 0 } ?? false
    }

    /// The configuration of a new connection.
    var context: NIOSSLContext { loaded.withLockedValue(\.context) }

    private static func load(_ certificateFile: String, _ keyFile: String) throws(CertificateError) -> Loaded {
        let (certificates, secret) = (try contents(of: certificateFile), try contents(of: keyFile))
        // NIOSSL's errors don't name the file.
        guard let chain = try? NIOSSLCertificate.fromPEMBytes(certificates), let own = chain.first else {
            throw .noCertificate(file: certificateFile)
        }
        guard let key = try? NIOSSLPrivateKey(bytes: secret, format: .pem) else { throw .noKey(file: keyFile) }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        // Of TLS 1.2, what HTTP/2 permits (RFC 9113 section 9.2.2): forward secrecy and authenticated encryption. The
        // suites of TLS 1.3 are fixed.
        configuration.cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"
        configuration.applicationProtocols = [http2, http1]
        // Time for the client to confirm the end of TLS, within that for closing the connections at shutdown.
        configuration.shutdownTimeout = .seconds(2)
        // The remaining error is a key that isn't the certificate's.
        guard let context = try? NIOSSLContext(configuration: configuration) else {
            throw .mismatch(certificate: certificateFile, key: keyFile)
        }
        return Loaded(context: context, expiry: Date(timeIntervalSince1970: TimeInterval(own.notValidAfter)))
    }

    private static func contents(of file: String) throws(CertificateError) -> [UInt8] {
        guard access(file, R_OK) == 0 else {
            throw .unreadable(file: file, reason: String(cString: strerror(errno)))
        }
        guard let data = FileManager.default.contents(atPath: file) else {
            throw .unreadable(file: file, reason: "it is not a file")
        }
        return Array(data)
    }
}

/// The reason for which a certificate can't be used, with a message for the person who runs the server. New cases may be
/// added.
public enum CertificateError: Error, CustomStringConvertible, Equatable {
    /// A file can't be read; `reason` is the system's.
    case unreadable(file: String, reason: String)
    /// The file has no certificate.
    case noCertificate(file: String)
    /// The file has no private key that can be used.
    case noKey(file: String)
    /// The key belongs to another certificate.
    case mismatch(certificate: String, key: String)

    public var description: String {
        switch self {
        case .unreadable(let file, let reason): "the file \(file) for TLS can't be read: \(reason)"
        case .noCertificate(let file):
            "\(file) is not a certificate in PEM format (-----BEGIN CERTIFICATE-----), which --tls-certificate needs"
        case .noKey(let file):
            "\(file) is not a private key in PEM format without a passphrase, which --tls-key needs"
        case .mismatch(let certificate, let key): "the key \(key) is not that of the certificate \(certificate)"
        }
    }
}
