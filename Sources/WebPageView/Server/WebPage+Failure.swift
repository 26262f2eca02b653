internal import ControllerKit
internal import Foundation
internal import NIOCore

extension WebPage {
    /// The error of a port that somebody else listens on.
    static var addressInUse: Int32 { EADDRINUSE }

    /// Why the page can't listen, in words for the person who starts it.
    static func failure(_ error: any Error, _ port: Int) -> Failure {
        guard let code = (error as? IOError)?.errnoCode else { return Failure(error) }
        let message =
            switch code {
            case EADDRINUSE:
                "Port \(port) is in use. Choose another one with --port, or --port 0 for any that is free."
            case EACCES: "Port \(port) is for root alone. Choose one from 1024 up with --port."
            default: "The page can't listen on port \(port): \(String(cString: strerror(code)))."
            }
        return Failure(.failed, message)
    }
}
