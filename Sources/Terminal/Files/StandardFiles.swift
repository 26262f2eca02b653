import Dispatch
import Foundation
import PrivateFiles

/// A file that is read where nothing else runs: reading blocks, so the actor has a thread of its own.
actor InputFile {
    /// How many bytes a line may have; a longer line is an error of the input.
    private static let maximumLineLength = 8 << 20

    private let descriptor: Int32
    private var buffer: [UInt8] = []
    private var isAtEnd = false
    private let executor = BlockingExecutor(label: "terminal.input")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// The next line without its end; nil at the end.
    ///
    /// - Throws: `TerminalError` when it can't be read, or is not UTF-8.
    func line() throws -> String? {
        // The length of the prefix that contains no line end, so that each byte is searched once.
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

    /// Everything that is left.
    func rest() throws -> String {
        while !isAtEnd { try fill() }
        defer {
            buffer = []
            // A terminal can be read again after its end of file.
            isAtEnd = false
        }
        return try text(buffer[...])
    }

    /// The next bytes as they come; nil at the end.
    func chunk() throws -> [UInt8]? {
        if buffer.isEmpty, !isAtEnd { try fill() }
        defer { buffer = [] }
        return buffer.isEmpty ? nil : buffer
    }

    /// Hides what is typed, from now on.
    func hideEcho() throws -> HiddenEcho {
        guard let hidden = HiddenEcho(descriptor) else {
            throw TerminalError(.failed, "The terminal can't hide what is typed.")
        }
        return hidden
    }

    /// Reads a line of a terminal that hides what is typed.
    ///
    /// - Throws: `CancellationError` on Ctrl-C or Ctrl-D.
    func secret() throws -> String {
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
            throw TerminalError(.failed, "The standard input can't be read: \(String(cString: strerror(errno))).")
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

    /// Shows what is typed again. What was typed already stays: a person may paste several lines.
    func restore() {
        var settings = before
        tcsetattr(descriptor, TCSADRAIN, &settings)
    }
}

/// A file that is written where nothing else runs: a reader may be slow, so the actor has a thread of its own.
actor OutputFile {
    private let descriptor: Int32
    private let executor = BlockingExecutor(label: "terminal.output")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a text, all of it.
    ///
    /// - Throws: `OutputClosed` when the reader has closed the output; `TerminalError` when the disk is full.
    func write(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EPIPE { throw OutputClosed() }
            guard count > 0 else {
                throw TerminalError(.failed, "The output can't be written: \(String(cString: strerror(errno))).")
            }
            rest = rest.dropFirst(count)
        }
    }
}
