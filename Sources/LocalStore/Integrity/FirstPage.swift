internal import Foundation
internal import GRDB

/// The first page of a SQLite file: its header and the list of its tables (https://sqlite.org/fileformat2.html).
enum FirstPage {
    /// SQLite's usual size, in bytes; Satchel never sets another.
    private static let size = 4_096

    /// Gives a file the first page of a new cache, whose tables begin on the same pages. What is read of it afterwards must
    /// be checked: nothing says that the file was made by the same migrations.
    ///
    /// - Returns: false if that can't be done.
    static func mend(_ file: URL) -> Bool {
        guard let bytes = try? FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int,
            bytes > size, var page = try? ofNewCache(), page.count == size,
            let handle = try? FileHandle(forUpdating: file)
        else { return false }
        defer { try? handle.close() }
        // The log is looked at (18, 19), the pages are as many as there are (28), and none is free (32, 36).
        page.replaceSubrange(18..<20, with: [2, 2])
        page.replaceSubrange(28..<32, with: bigEndian(UInt32(truncatingIfNeeded: bytes / size)))
        page.replaceSubrange(32..<40, with: Array(repeating: 0, count: 8))
        do { try handle.write(contentsOf: page) } catch { return false }
        return true
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    private static func ofNewCache() throws -> Data {
        let file = FileManager.default.temporaryDirectory.appending(path: "first-page-\(UUID().uuidString).db")
        defer { try? FileManager.default.removeItem(at: file) }
        let queue = try DatabaseQueue(path: file.path, configuration: LocalStore.configuration)
        try Schema.migrator.migrate(queue)
        try queue.close()
        return try FileHandle(forReadingFrom: file).read(upToCount: size) ?? Data()
    }
}
