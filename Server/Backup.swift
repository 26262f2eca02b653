import ArgumentParser
import Foundation
import SQLiteServerStore

/// `satcheld backup`.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes all data to a file. The server may be running.",
        discussion: """
            The file holds one moment's state, was checked when it is there, and is for you alone (mode 0600). It has \
            everything that the server stores, so keep it as safe as the server.

            The exit code is 0 if the backup is there, else 1, and 2 if the command isn't understood.
            """)

    @Argument(help: "The file to write.")
    var file: String

    @Flag(help: "Replace the file if it exists.")
    var force = false

    @OptionGroup var data: DataFlags

    func run() async throws {
        try await explained {
            let file = URL(filePath: file)
            let report = try SQLiteServerStore.backup(
                directory: try await ServeSettings.data(data), to: file, replacing: force)
            print("satcheld: wrote \(file.path): \(report)")
        }
    }
}
