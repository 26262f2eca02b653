import ArgumentParser
import Foundation

/// Where the data are, for every command.
struct DataFlags: ParsableArguments {
    @Option(
        name: .customLong("data"),
        help: "Directory for the data (default: satcheld in $XDG_STATE_HOME or ~/.local/state).")
    var directory: String?

    @Option(name: .customLong("config"), help: "A configuration file.")
    var configurationFile: String?
}

/// Runs a command; an error is printed, and the process ends with exit code 1.
func explained(_ command: () async throws -> Void) async throws {
    do {
        try await command()
    } catch {
        FileHandle.standardError.write(Data("satcheld: \(error)\n".utf8))
        throw ExitCode.failure
    }
}
