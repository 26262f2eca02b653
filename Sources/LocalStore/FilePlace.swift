internal import Foundation

/// An open file by its path, device and inode (stat(2)): whether the path still leads to it. What is written to a file
/// that was unlinked ends with the process.
struct FilePlace: Sendable {
    private let path: String
    private let device: UInt64
    private let inode: UInt64

    /// The file that the path leads to now.
    ///
    /// - Throws: `LocalStoreError.replaced` if there is none.
    init(_ path: String) throws(LocalStoreError) {
        var status = stat()
        guard stat(path, &status) == 0 else { throw .replaced(path: path) }
        self.path = path
        (device, inode) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }

    /// Makes sure that the path leads to the same file as before.
    ///
    /// - Throws: `LocalStoreError.replaced`.
    func check() throws(LocalStoreError) {
        let now = try FilePlace(path)
        guard (now.device, now.inode) == (device, inode) else { throw .replaced(path: path) }
    }
}
