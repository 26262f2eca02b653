internal import Foundation
#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// Why a store couldn't be opened, in words for the person who starts the server.
public enum StoreOpeningError: Error, CustomStringConvertible, Equatable {
    /// Another process has the directory.
    case inUse(directory: String)
    /// The directory can't be made or written; `reason` is the system's.
    case unwritable(directory: String, reason: String)

    public var description: String {
        switch self {
        case .inUse(let directory):
            "another satcheld uses the data directory \(directory); stop it, or choose another one with --data"
        case .unwritable(let directory, let reason):
            "the data directory \(directory) can't be written: \(reason)"
        }
    }
}

/// Keeps other processes away from a directory; the lock dies with its holder (flock(2)).
final class DirectoryLock: Sendable {
    private let descriptor: Int32

    /// Makes the directory if need be, with mode 0700.
    ///
    /// - Throws: `StoreOpeningError`.
    init(directory: URL) throws(StoreOpeningError) {
        do {
            try FileManager.default.createDirectory(
                at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .unwritable(directory: directory.path, reason: error.localizedDescription)
        }
        let path = directory.appending(path: "satcheld.lock").path
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .unwritable(directory: directory.path, reason: String(cString: strerror(errno)))
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw .inUse(directory: directory.path)
        }
        self.descriptor = descriptor
    }

    /// Lets others in; does no harm a second time.
    func release() { flock(descriptor, LOCK_UN) }

    deinit { close(descriptor) }
}
