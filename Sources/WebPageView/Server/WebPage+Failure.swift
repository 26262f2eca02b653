internal import ControllerKit
internal import Foundation
internal import NIOCore

extension WebPage {
    /// The error of a port on which another program listens.
    static var addressInUse: Int32 { EADDRINUSE }

    /// Why the page can't listen, in words for the person who starts it.
    static func failure(_ error: any Error, _ port: Int) -> Failure {
        switch (error as? IOError)?.errnoCode {
        case nil: Failure(error)
        case EADDRINUSE: failure(inUse: port)
        case EACCES: Failure(.failed, "Port \(port) needs root. Choose one from 1024 upwards with --port.")
        case let code?: Failure(.failed, "The page can't listen on port \(port): \(String(cString: strerror(code))).")
        }
    }

    /// Another program listens on the port.
    static func failure(inUse port: Int) -> Failure {
        Failure(.failed, "Port \(port) is in use. Choose another one with --port, or use --port 0 for a free one.")
    }
}
