import Foundation

/// The system's texts for error codes (errno(3)).
package enum SystemError {
    /// The text for the error of the last system call, which `errno` has. Any other call may change it.
    package static var last: String { text(errno) }

    /// Returns the text for an error code.
    package static func text(_ code: Int32) -> String { String(cString: strerror(code)) }
}
