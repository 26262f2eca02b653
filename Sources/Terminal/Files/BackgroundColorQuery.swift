import Dispatch
import Foundation

/// Asks a terminal for the colour of its background: OSC 11 of xterm's control sequences, which most terminals have.
///
/// The question is followed by the one for the terminal's attributes (DA1, ECMA-48 section 8.3.24), which all terminals
/// answer: its answer ends the wait on a terminal without OSC 11. A key that is pressed before the answer arrives is lost,
/// so nothing is asked while typed text waits to be read.
package struct BackgroundColorQuery {
    /// The maximum wait for the answer, in milliseconds.
    static let timeout: Int32 = 100
    /// The largest answer that is read, in bytes.
    private static let maximumAnswer = 256
    private static let question = "\u{1B}]11;?\u{1B}\\\u{1B}[c"

    let input: Int32
    let output: Int32

    /// Returns whether the question may be asked: the terminal is local and shows colours, and the theme depends on
    /// the answer.
    static func isUseful(wanted: Theme?, environment: [String: String]) -> Bool {
        // Over a network, the answer may arrive after the wait, as if it were typed.
        let isRemote = environment["SSH_CONNECTION"] != nil || environment["SSH_TTY"] != nil
        let isColoured = (environment["NO_COLOR"] ?? "").isEmpty
        let known = Theme.choose(wanted: wanted, background: nil, environment: environment)
        return isColoured && !isRemote && known == .neutral && wanted == nil
    }

    /// Returns the background colour; nil: the terminal doesn't report it, or can't be asked.
    ///
    /// It blocks for at most ``timeout``.
    func backgroundColor() -> TerminalBackground? {
        var before = termios()
        // A process in the background would be stopped when it changes the settings of the terminal (tcsetattr(3)).
        guard tcgetpgrp(input) == getpgrp(), !hasTypedText, tcgetattr(input, &before) == 0 else { return nil }
        var raw = before
        raw.c_lflag &= ~tcflag_t(ECHO | ICANON)
        // TCSANOW and not TCSAFLUSH, which would discard what was typed.
        guard tcsetattr(input, TCSANOW, &raw) == 0 else { return nil }
        defer { tcsetattr(input, TCSANOW, &before) }
        // Check again: in canonical mode, `poll` ignored an unfinished line.
        guard !hasTypedText, ask() else { return nil }
        return TerminalBackground(answer: answer())
    }

    private var hasTypedText: Bool { canRead(within: 0) }

    private func canRead(within milliseconds: Int32) -> Bool {
        var file = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
        return poll(&file, 1, milliseconds) != 0
    }

    private func ask() -> Bool {
        let bytes = Array(Self.question.utf8)
        return bytes.withUnsafeBytes { write(output, $0.baseAddress, $0.count) } == bytes.count
    }

    /// Reads until the answer to the last question is complete, or the wait is over.
    private func answer() -> String {
        var bytes: [UInt8] = []
        let start = DispatchTime.now().uptimeNanoseconds
        while bytes.count < Self.maximumAnswer, !Self.isComplete(bytes) {
            let passed = Int32(clamping: (DispatchTime.now().uptimeNanoseconds - start) / 1_000_000)
            guard passed < Self.timeout, canRead(within: Self.timeout - passed) else { break }
            var byte: UInt8 = 0
            // One byte at a time: what follows the answer was typed and stays to be read.
            guard read(input, &byte, 1) == 1 else { break }
            bytes.append(byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns whether the bytes end with the terminal's attributes: `ESC [ ? 6 5 ; 1 c`.
    package static func isComplete(_ bytes: [UInt8]) -> Bool {
        guard bytes.last == UInt8(ascii: "c"), let begin = bytes.lastIndex(of: 0x1B) else { return false }
        return bytes[begin...].starts(with: "\u{1B}[?".utf8)
    }
}
