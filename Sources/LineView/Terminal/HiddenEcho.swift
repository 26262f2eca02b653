import Foundation

/// A terminal that doesn't show what is typed, until it is restored (termios(3)).
///
/// Signals from the keyboard are off meanwhile, so that Ctrl-C can't end the process with the echo still off: it ends the
/// line instead, as its last character.
struct HiddenEcho {
    /// What Ctrl-C leaves in the line.
    static let interrupt: UInt8 = 3

    private let descriptor: Int32
    private let before: termios

    /// Hides the echo; nil when the file is no terminal.
    init?(_ descriptor: Int32) {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return nil }
        before = settings
        self.descriptor = descriptor
        settings.c_lflag &= ~tcflag_t(ECHO | ISIG)
        settings.c_lflag |= tcflag_t(ECHONL)
        withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(VEOL)] = Self.interrupt }
        guard tcsetattr(descriptor, TCSAFLUSH, &settings) == 0 else { return nil }
    }

    func restore() {
        var settings = before
        tcsetattr(descriptor, TCSAFLUSH, &settings)
    }
}
