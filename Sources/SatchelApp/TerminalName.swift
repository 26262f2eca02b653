import Foundation

/// Names the terminal that a process belongs to, so that numbers of a list are those that this terminal showed last.
enum TerminalName {
    /// The terminal device and the session on it (setsid(2)); for a process without a terminal, the session alone.
    static var current: String {
        let device = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].lazy.compactMap(name).first ?? "none"
        return "\(device):\(getsid(0))"
    }

    private static func name(of descriptor: Int32) -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        guard ttyname_r(descriptor, &buffer, buffer.count) == 0 else { return nil }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
