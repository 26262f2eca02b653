import Foundation
import PrivateFiles

/// The lines that were typed, in a file that only the person can read. Several processes may enter lines at once: each
/// adds to what is there, under a lock that dies with its holder (flock(2)).
struct HistoryFile: Sendable {
    /// How long a line waits for another process that has the file locked. The person waits as long for the command.
    static let lockWait = Duration.seconds(1)

    let path: String
    var patience = HistoryFile.lockWait

    /// The lines, oldest first; none when there is no file yet.
    ///
    /// - Throws: `TerminalError` that names the file.
    func lines() throws(TerminalError) -> [String] {
        let descriptor = try opened()
        defer { close(descriptor) }
        return HistoryText.lines(in: try text(of: descriptor))
    }

    /// Enters a line, see `HistoryText.enter`. The call blocks. A line is not stored if another process has the file locked
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

    /// The file, locked; nil if another process has it locked for longer than `patience`.
    private func locked() throws(TerminalError) -> Int32? {
        let start = ContinuousClock.now
        while true {
            // Opened for each try, since the process that has the lock may replace the file.
            let descriptor = try opened()
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
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

    /// The pause between two tries, in milliseconds.
    private static let pause: Int32 = 10

    /// Whether an open file is still the one at `path`.
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

    /// Runs an operation on the file and turns its failure into a message to the person.
    private func failing<Result>(
        _ what: String, _ body: () throws(FileFailure) -> Result
    ) throws(TerminalError) -> Result {
        do { return try body() } catch {
            throw TerminalError(.failed, "The history “\(path)” can't be \(what): \(error.reason).")
        }
    }

    private func failure(_ what: String) -> TerminalError {
        TerminalError(.failed, "The history “\(path)” can't be \(what): \(String(cString: strerror(errno))).")
    }
}

/// The history as a text: a line each entry, oldest first; a line feed within one is written `\n`, a backslash `\\`.
enum HistoryText {
    /// How many lines are kept at least, when there are more.
    static let kept = 2_000
    /// How many bytes a line may have to be kept.
    static let maximumLength = 16_384

    /// What becomes of a history file when a line is entered.
    enum Change: Equatable {
        case nothing
        case append(String)
        /// It has grown too long.
        case rewrite(String)
    }

    /// The lines of a file, without repetitions in a row.
    static func lines(in text: String) -> [String] {
        text.split(separator: "\n").map(read).reduce(into: []) { lines, line in
            if lines.last != line { lines.append(line) }
        }
    }

    /// Whether a line is worth keeping: not an empty one, one that begins with a space, so that a person can hide it, or a
    /// very long one.
    static func isUseful(_ line: String) -> Bool {
        !line.allSatisfy(\.isWhitespace) && line.first != " " && line.utf8.count <= maximumLength
    }

    /// How a line is entered: not when it isn't useful, or was the last one, too.
    static func enter(_ line: String, in text: String) -> Change {
        guard isUseful(line), text.split(separator: "\n").last.map(read) != line else { return .nothing }
        // A line that was cut by a crash ends before the next one begins.
        let entry = (text.isEmpty || text.hasSuffix("\n") ? "" : "\n") + written(line) + "\n"
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
