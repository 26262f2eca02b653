internal import Foundation
internal import NIOConcurrencyHelpers
#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Space that is kept back on the database's disk, as a file of its own: when the disk is full, whoever deletes gets it.
///
/// The file is allocated, not only long. While it is not whole, ordinary writes are refused, or they would take the space
/// that the next deletion needs.
final class DiskReserve: Sendable {
    /// The space that is kept on a large disk. A transaction that deletes writes less, see `StoreWriting.clear`.
    private static let most = 16 << 20
    /// The space that is kept on the smallest disk.
    private static let least = 1 << 20
    /// On a disk in between, one part in so many.
    private static let part = 64

    /// In bytes.
    let size: Int
    private let directory: String
    private let descriptor: Int32
    private let isFilled = NIOLockedValueBox(false)

    /// Allocates the file, as far as there is room. Blocking.
    ///
    /// - Throws: `StoreOpeningError`.
    init(directory: URL) throws(StoreOpeningError) {
        self.directory = directory.path
        descriptor = open(
            directory.appending(path: "satchel.reserve").path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unwritable(directory: directory.path, reason: String(cString: strerror(errno)))
        }
        let total = Self.disk(of: directory.path).map { Int(clamping: $0.f_blocks) * Int(clamping: $0.f_frsize) } ?? 0
        size = min(max(total / Self.part, Self.least), Self.most)
        _ = fill()
    }

    deinit { close(descriptor) }

    /// Whether all of it is there.
    var isWhole: Bool { isFilled.withLockedValue { $0 } }

    /// Takes the space again if it was given away.
    ///
    /// - Returns: whether all of it is there now.
    func fill() -> Bool {
        isFilled.withLockedValue { isFilled in
            if isFilled { return true }
            isFilled = posix_fallocate(descriptor, 0, off_t(size)) == 0
            // What was allocated before the disk was full would be missing for deletions.
            if !isFilled { _ = ftruncate(descriptor, 0) }
            return isFilled
        }
    }

    /// Gives the space to whoever writes next.
    func release() {
        isFilled.withLockedValue { isFilled in
            isFilled = false
            _ = ftruncate(descriptor, 0)
        }
    }

    /// Whether there is room for a large request beside the reserve.
    var hasRoom: Bool {
        guard let disk = Self.disk(of: directory) else { return true }
        return Int(clamping: disk.f_bavail) * Int(clamping: disk.f_frsize) >= size / 2
    }

    private static func disk(of path: String) -> statvfs? {
        var disk = statvfs()
        return statvfs(path, &disk) == 0 ? disk : nil
    }
}
