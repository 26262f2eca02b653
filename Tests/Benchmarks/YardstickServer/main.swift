import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

// The lower bound of reading a record from satcheld: a Hummingbird server with one route, which sends a constant of so many
// bytes. It listens on a free port of loopback, prints the port in a line of its own, and runs until it is killed.

/// Serves `GET /constant`.
func serve(bytes: Int) async throws {
    let constant = ByteBuffer(repeating: UInt8(ascii: "x"), count: bytes)
    let router = Router()
    router.get("constant") { _, _ in
        Response(status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: constant))
    }
    var logger = Logger(label: "YardstickServer")
    logger.logLevel = .error
    let application = Application(
        router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { channel in
            // Not `print`, which would keep the line in its buffer: the output is a pipe.
            FileHandle.standardOutput.write(Data("\(channel.localAddress?.port ?? 0)\n".utf8))
        }, logger: logger)
    try await application.runService()
}

let arguments = CommandLine.arguments
guard arguments.count == 2, let bytes = Int(arguments[1]), bytes >= 0 else {
    print("usage: YardstickServer BYTES")
    exit(2)
}
try await serve(bytes: bytes)
