import ArgumentParser
import Foundation
import SQLiteServerStore

/// `satcheld restore`.
struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Replaces the data by a backup. The server must not be running.",
        discussion: """
            The database until now is put aside in the same directory, never deleted. Devices notice the restore when \
            they sync next, and give the server back what the backup doesn't have.

            A data directory that was copied back by hand is marked as restored by restoring its own satchel.sqlite.

            The exit code is 0 if the backup is in its place, else 1 and nothing has changed, and 2 if the command \
            isn't understood.
            """)

    @Argument(help: "A file written by satcheld backup.")
    var file: String

    @OptionGroup var data: DataFlags

    func run() async throws {
        try await explained {
            umask(0o077)
            let (file, directory) = (URL(filePath: file), try await ServeSettings.data(data))
            let report = try SQLiteServerStore.restore(
                file, to: directory, now: Int64(Date().timeIntervalSince1970 * 1_000))
            print("satcheld: restored \(file.path) to \(directory.path): \(report.restored)")
            if let aside = report.putAside { print("satcheld: the previous database is \(aside.path)") }
        }
    }
}
