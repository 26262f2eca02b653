import Foundation

/// A certificate authority of a test's own, and a certificate of it for `localhost` and `127.0.0.1`, made by openssl in a
/// temporary directory that goes with the value.
final class Certificates: Sendable {
    private let directory: URL

    var authority: String { path("ca.pem") }
    var certificate: String { path("server.pem") }
    var key: String { path("server.key") }

    init() throws {
        directory = FileManager.default.temporaryDirectory.appending(path: "satchel-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try "subjectAltName=DNS:localhost,IP:127.0.0.1".write(
            toFile: path("names"), atomically: true, encoding: .utf8)
        let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        try Helper.run(
            "openssl",
            ["req", "-x509", "-subj", "/CN=Test CA", "-days", "2", "-keyout", path("ca.key"), "-out", authority]
                + newKey)
        try Helper.run(
            "openssl", ["req", "-subj", "/CN=localhost", "-keyout", key, "-out", path("server.csr")] + newKey)
        try Helper.run(
            "openssl",
            [
                "x509", "-req", "-in", path("server.csr"), "-CA", authority, "-CAkey", path("ca.key"),
                "-CAcreateserial",
                "-days", "2", "-extfile", path("names"), "-out", certificate,
            ])
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private func path(_ name: String) -> String { directory.appending(path: name).path }
}
