import ControllerKit
import Foundation

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
        case .append(let entry): try write(entry, to: descriptor)
        case .rewrite(let text): try replace(with: text)
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
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("opened") }
        // It may have been made by other means.
        fchmod(descriptor, 0o600)
        return descriptor
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

    /// Puts a new file in the place of the old one, whole or not at all.
    private func replace(with text: String) throws(Failure) {
        let other = path + ".new"
        let descriptor = open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure("written") }
        defer { close(descriptor) }
        try write(text, to: descriptor)
        guard rename(other, path) == 0 else { throw failure("written") }
    }

    private func write(_ text: String, to descriptor: Int32) throws(Failure) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure("written") }
            rest = rest.dropFirst(count)
        }
    }

    private func failure(_ what: String) -> Failure {
        Failure(.failed, "The history “\(path)” can't be \(what): \(String(cString: strerror(errno))).")
    }
}
