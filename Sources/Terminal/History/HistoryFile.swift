import Foundation
import PrivateFiles

/// The typed lines in a file that only the person can read. Several processes may add lines concurrently. A lock
/// excludes them from each other; the system releases it when its holder ends (flock(2)).
struct HistoryFile: Sendable {
    /// The maximum wait for another process's lock. The typed command is performed only after it.
    static let lockWait = Duration.seconds(1)

    let path: String
    var patience = HistoryFile.lockWait

    /// Returns the lines, oldest first. A missing file is created.
    ///
    /// - Throws: `TerminalError` that names the file.
    func lines() throws(TerminalError) -> [String] {
        let descriptor = try opened()
        defer { close(descriptor) }
        return HistoryText.lines(in: try text(of: descriptor))
    }

    /// Adds a line, see `HistoryText.enter`. The call blocks. The line isn't stored if another process locks the file
    /// for longer than `patience`.
    ///
    /// - Throws: `TerminalError` that names the file.
    func enter(_ line: String) throws(TerminalError) {
        guard let descriptor = try locked() else { return }
        // Closing it unlocks it, too.
        defer { close(descriptor) }
        switch HistoryText.enter(line, in: try text(of: descriptor)) {
        case .nothing: break
        case .append(let entry):
            try failing("written") { () throws(FileFailure) in
                try PrivateFile.write(entry.utf8, to: descriptor, path)
            }
        case .rewrite(let text):
            // The lock guarantees that no other process uses the draft.
            try failing("written") { () throws(FileFailure) in
                try PrivateFile(path: path).replace(with: text.utf8, draft: path + ".new")
            }
        }
    }

    /// Opens and locks the file. Returns nil if another process locks it for longer than `patience`.
    private func locked() throws(TerminalError) -> Int32? {
        let start = ContinuousClock.now
        while true {
            // Opened again for each attempt, since the holder of the lock may replace the file.
            let descriptor = try opened()
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                // A lock on a replaced file excludes no one, and a line written to it would be lost.
                if hasName(descriptor) { return descriptor }
            } else if errno != EWOULDBLOCK, errno != EINTR {
                let reason = failure("locked")
                close(descriptor)
                throw reason
            }
            close(descriptor)
            if start.duration(to: .now) >= patience { return nil }
            poll(nil, 0, Self.pause)
        }
    }

    /// The pause between two attempts, in milliseconds.
    private static let pause: Int32 = 10

    /// Returns whether an open file is still the one at `path`.
    private func hasName(_ descriptor: Int32) -> Bool {
        var held = stat()
        var named = stat()
        guard fstat(descriptor, &held) == 0, stat(path, &named) == 0 else { return false }
        return held.st_ino == named.st_ino
    }

    private func opened() throws(TerminalError) -> Int32 {
        try failing("opened") { () throws(FileFailure) in try PrivateFile(path: path).openForAppending() }
    }

    private func text(of descriptor: Int32) throws(TerminalError) -> String {
        var text: [UInt8] = []
        var bytes = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = pread(descriptor, &bytes, bytes.count, off_t(text.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read") }
            if count == 0 { return String(decoding: text, as: UTF8.self) }
            text += bytes[..<count]
        }
    }

    /// Runs an operation on the file and converts its failure to a message for the person.
    private func failing<Result>(
        _ what: String, _ body: () throws(FileFailure) -> Result
    ) throws(TerminalError) -> Result {
        do { return try body() } catch {
            throw TerminalError(.failed, "The history “\(path)” can't be \(what): \(error.reason).")
        }
    }

    private func failure(_ what: String) -> TerminalError {
        TerminalError(.failed, "The history “\(path)” can't be \(what): \(SystemError.last).")
    }
}

/// The history as a text: one line for each entry, oldest first. A line feed within an entry is written `\n`, a
/// backslash `\\`.
enum HistoryText {
    /// The number of lines that remain when the file is cut.
    static let kept = 2_000
    /// The limit for a stored line, in bytes.
    static let maximumLength = 16_384

    /// The change of a history file by a line.
    enum Change: Equatable {
        case nothing
        case append(String)
        /// The file has grown too long and is replaced with this text.
        case rewrite(String)
    }

    /// Returns the lines of a file, without consecutive repetitions.
    static func lines(in text: String) -> [String] {
        text.split(separator: "\n").map(read).reduce(into: []) { lines, line in
            if lines.last != line { lines.append(line) }
        }
    }

    /// Returns whether a line is stored. Empty and very long lines aren't, nor lines that begin with a space: a person
    /// can keep a line out of the history that way, as in shells.
    static func isUseful(_ line: String) -> Bool {
        !line.allSatisfy(\.isWhitespace) && line.first != " " && line.utf8.count <= maximumLength
    }

    /// Returns the change that adds a line. A line that isn't useful or repeats the last one changes nothing.
    static func enter(_ line: String, in text: String) -> Change {
        guard isUseful(line), text.split(separator: "\n").last.map(read) != line else { return .nothing }
        // A line that was cut by a crash has no line end; the next one must not continue it.
        let entry = (text.isEmpty || text.hasSuffix("\n") ? "" : "\n") + written(line) + "\n"
        // Cut at twice the limit, so that most lines are appended and the file is seldom rewritten.
        guard text.utf8.count(where: { $0 == 0x0A }) >= 2 * kept else { return .append(entry) }
        return .rewrite((lines(in: text).suffix(kept - 1) + [line]).map { written($0) + "\n" }.joined())
    }

    private static func written(_ line: String) -> String {
        line.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }

    private static func read(_ entry: Substring) -> String {
        var line = ""
        var rest = entry
        while let character = rest.popFirst() {
            guard character == "\\", let next = rest.popFirst() else {
                line.append(character)
                continue
            }
            line.append(next == "n" ? "\n" : next)
        }
        return line
    }
}
