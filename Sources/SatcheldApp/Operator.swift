import Foundation

/// The person or user who runs a command, for the audit log.
enum Operator {
    /// The user who called `sudo`, else the user of the process.
    static var name: String {
        let environment = ProcessInfo.processInfo.environment
        // Anyone who may run the command may set the variable: the log informs the owner, it proves nothing.
        if let caller = environment["SUDO_USER"], !caller.isEmpty { return caller }
        guard let user = getpwuid(getuid()) else { return "uid \(getuid())" }
        return String(cString: user.pointee.pw_name)
    }
}
