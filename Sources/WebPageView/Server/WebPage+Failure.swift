internal import ControllerKit
internal import Foundation
internal import NIOCore

extension WebPage {
    /// The error of a port that somebody else listens on.
    static var addressInUse: Int32 { EADDRINUSE }

    /// Why the page can't listen, in words for the person who starts it.
    static func failure(_ error: any Error, _ port: Int) -> Failure {
        switch (error as? IOError)?.errnoCode {
        case nil: Failure(error)
        case EADDRINUSE: failure(inUse: port)
        case EACCES: Failure(.failed, "Port \(port) is for root alone. Choose one from 1024 up with --port.")
        case let code?: Failure(.failed, "The page can't listen on port \(port): \(String(cString: strerror(code))).")
        }
    }

    /// Somebody else listens there.
    static func failure(inUse port: Int) -> Failure {
        Failure(.failed, "Port \(port) is in use. Choose another one with --port, or --port 0 for any that is free.")
    }
}
