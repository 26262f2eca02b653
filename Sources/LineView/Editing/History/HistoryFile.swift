import ControllerKit
import Foundation
import PrivateFiles

/// The lines that were typed, in a file that only the person can read. Several processes may enter lines at once: each
/// adds to what is there, under a lock that dies with its holder (flock(2)).
struct HistoryFile: Sendable {
    let path: String

    /// The lines, oldest first; none when there is no file yet.
    ///
    /// - Throws: `Failure` that names the file.
    func lines() throws(Failure) -> [String] {
        let descriptor = try opened()
        defer { close(descriptor) }
        return HistoryText.lines(in: try text(of: descriptor))
    }

    /// Enters a line, see `HistoryText.enter`.
    ///
    /// - Throws: `Failure` that names the file.
    func enter(_ line: String) throws(Failure) {
        let descriptor = try locked()
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

    /// The file, locked, and still the one of that name: whoever had it before may have put another in its place.
    private func locked() throws(Failure) -> Int32 {
        while true {
            let descriptor = try opened()
            var status = flock(descriptor, LOCK_EX)
            while status != 0, errno == EINTR { status = flock(descriptor, LOCK_EX) }
            var held = stat()
            var named = stat()
            if status == 0, fstat(descriptor, &held) == 0, stat(path, &named) == 0, held.st_ino == named.st_ino {
                return descriptor
            }
            let reason = failure("locked")
            close(descriptor)
            if status != 0 { throw reason }
        }
    }

    private func opened() throws(Failure) -> Int32 {
        try failing("opened") { () throws(FileFailure) in try PrivateFile(path: path).openForAppending() }
    }

    private func text(of descriptor: Int32) throws(Failure) -> String {
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
    ) throws(Failure) -> Result {
        do { return try body() } catch {
            throw Failure(.failed, "The history “\(path)” can't be \(what): \(error.reason).")
        }
    }

    private func failure(_ what: String) -> Failure {
        Failure(.failed, "The history “\(path)” can't be \(what): \(String(cString: strerror(errno))).")
    }
}
