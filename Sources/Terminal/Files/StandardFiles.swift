import Dispatch
import Foundation
import PrivateFiles

/// The reader of a standard file. The actor has a thread of its own, since reading blocks.
actor InputFile {
    /// The limit for a line, in bytes. A longer line is an error of the input.
    private static let maximumLineLength = 8 << 20

    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var isAtEnd = false
    private let executor = BlockingExecutor(label: "terminal.input")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Returns the next line without its end (LF or CR LF); nil: the input has ended.
    ///
    /// - Throws: `TerminalError` if the line can't be read or isn't UTF-8.
    func line() throws -> String? {
        // The length of the prefix without a line end: each byte is searched only once.
        var searched = 0
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeSubrange(...end) }
                return try text(buffer[..<end].last == 0x0D ? buffer[..<(end - 1)] : buffer[..<end])
            }
            if isAtEnd {
                defer { buffer = [] }
                return buffer.isEmpty ? nil : try text(buffer[...])
            }
            guard buffer.count <= Self.maximumLineLength else {
                throw TerminalError(.failed, "A line of the input is too long.")
            }
            searched = buffer.count
            try fill()
        }
    }

    /// Returns the remaining input.
    func rest() throws -> String {
        while !isAtEnd { try fill() }
        defer {
            buffer = []
            // A terminal can be read again after its end of file.
            isAtEnd = false
        }
        return try text(buffer[...])
    }

    /// Returns the next available bytes; nil: the input has ended.
    func chunk() throws -> [UInt8]? {
        if buffer.isEmpty, !isAtEnd { try fill() }
        defer { buffer = [] }
        return buffer.isEmpty ? nil : buffer
    }

    /// Asks the terminal for its background colour; see `BackgroundColorQuery`.
    func backgroundColor(output: Int32) -> TerminalBackground? {
        buffer.isEmpty ? BackgroundColorQuery(input: descriptor, output: output).backgroundColor() : nil
    }

    /// Turns the echo of the terminal off.
    func hideEcho() throws -> HiddenEcho {
        guard let hidden = HiddenEcho(descriptor) else {
            throw TerminalError(.failed, "The terminal can't hide what is typed.")
        }
        return hidden
    }

    /// Prepares the terminal for an answer that Ctrl-C ends. What is typed stays visible.
    func beginAnswer() throws -> HiddenEcho {
        guard let visible = HiddenEcho(descriptor, isHidden: false) else {
            throw TerminalError(.failed, "The terminal can't read an answer.")
        }
        return visible
    }

    /// Reads a line of a terminal that was prepared with `hideEcho` or `beginAnswer`.
    ///
    /// - Throws: `CancellationError` on Ctrl-C or Ctrl-D.
    func answer() throws -> String {
        while !isAtEnd, !buffer.contains(where: { $0 == HiddenEcho.interrupt || $0 == UInt8(ascii: "\n") }) {
            try fill()
        }
        if let interrupt = buffer.firstIndex(of: HiddenEcho.interrupt) {
            buffer.removeSubrange(...interrupt)
            throw CancellationError()
        }
        guard let typed = try line() else { throw CancellationError() }
        return typed
    }

    private func fill() throws {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        var count = read(descriptor, &bytes, bytes.count)
        while count < 0, errno == EINTR { count = read(descriptor, &bytes, bytes.count) }
        guard count >= 0 else {
            throw TerminalError(.failed, "The standard input can't be read: \(SystemError.last).")
        }
        buffer += bytes[..<count]
        isAtEnd = count == 0
    }

    private func text(_ bytes: ArraySlice<UInt8>) throws -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw TerminalError(.usage, "The input is not UTF-8 text.")
        }
        return text
    }
}

/// A terminal that reads one answer, with the echo off unless the answer may be seen, until it is restored
/// (termios(3)).
///
/// Signals from the keyboard are off meanwhile: a process ended by Ctrl-C would leave the echo off. Ctrl-C ends the
/// line instead, as its last character.
struct HiddenEcho {
    /// The character of Ctrl-C in the line.
    static let interrupt: UInt8 = 3

    private let descriptor: Int32
    private let before: termios

    /// Turns signals from the keyboard off, and the echo if `isHidden`; nil: the file isn't a terminal.
    init?(_ descriptor: Int32, isHidden: Bool = true) {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return nil }
        before = settings
        self.descriptor = descriptor
        settings.c_lflag &= ~tcflag_t(isHidden ? ECHO | ISIG : ISIG)
        // The line feed is echoed, so that the next output begins in a new row.
        settings.c_lflag |= tcflag_t(ECHONL)
        withUnsafeMutableBytes(of: &settings.c_cc) { $0[Int(VEOL)] = Self.interrupt }
        // TCSAFLUSH discards keys that were typed, and echoed, before.
        guard tcsetattr(descriptor, TCSAFLUSH, &settings) == 0 else { return nil }
    }

    /// Restores the former settings. Keys that were typed ahead aren't discarded (TCSADRAIN): a person may paste lines.
    func restore() {
        var settings = before
        tcsetattr(descriptor, TCSADRAIN, &settings)
    }
}

/// The writer of a standard file. The actor has a thread of its own, since a slow reader blocks it.
actor OutputFile {
    private let descriptor: Int32
    private let executor = BlockingExecutor(label: "terminal.output")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Writes the whole text.
    ///
    /// - Throws: `OutputClosed` if the reader has closed the output; `TerminalError` otherwise, as for a full disk.
    func write(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EPIPE { throw OutputClosed() }
            guard count > 0 else {
                throw TerminalError(.failed, "The output can't be written: \(SystemError.last).")
            }
            rest = rest.dropFirst(count)
        }
    }
}
