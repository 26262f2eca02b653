internal import Foundation

/// The few calls of the system by which a file is made durable.
enum FileSystem {
    /// Makes an empty file that is for its owner alone.
    static func createPrivate(_ file: URL) throws(BackupError) {
        let descriptor = open(file.path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .unwritable(file: file.path, reason: lastReason) }
        close(descriptor)
    }

    /// Waits until a file, or a directory's entries, are on the disk.
    static func sync(_ file: URL) throws(BackupError) {
        let descriptor = open(file.path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unwritable(file: file.path, reason: lastReason) }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else { throw .unwritable(file: file.path, reason: lastReason) }
    }

    /// Gives a file another name; a file that has it is replaced.
    static func rename(_ file: URL, to place: URL) throws(BackupError) {
        guard Foundation.rename(file.path, place.path) == 0 else {
            throw .unwritable(file: place.path, reason: lastReason)
        }
    }

    /// Gives a file a second name.
    ///
    /// - Throws: `.exists` if something has it.
    static func link(_ file: URL, as place: URL) throws(BackupError) {
        guard Foundation.link(file.path, place.path) == 0 else {
            throw errno == EEXIST ? .exists(file: place.path) : .unwritable(file: place.path, reason: lastReason)
        }
    }

    /// Whether there is something of this name.
    static func exists(_ file: URL) -> Bool { access(file.path, F_OK) == 0 }

    private static var lastReason: String { String(cString: strerror(errno)) }
}
