import Foundation
import NIOCore

/// Why the server can't listen, in words for the person who starts it.
struct ListeningError: Error, CustomStringConvertible {
    let description: String

    /// Nil if the error is about something else.
    init?(_ error: any Error, host: String, port: Int) {
        switch error {
        case let error as SocketAddressError.UnknownHost:
            description = "the host \(host) can't be resolved (\(error.errorDescription)); name an address with --host"
        case let error as IOError:
            description =
                switch error.errnoCode {
                case EADDRINUSE: "port \(port) on \(host) is in use; choose another one with --port"
                case EADDRNOTAVAIL: "\(host) is not an address of this machine; choose another one with --host"
                case EACCES: "port \(port) needs root; choose one from 1024 upwards with --port"
                default: "can't listen on port \(port) of \(host): \(String(cString: strerror(error.errnoCode)))"
                }
        default: return nil
        }
    }
}
