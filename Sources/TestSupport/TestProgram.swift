import Foundation
internal import Subprocess

/// A system program that a test runs.
///
/// Tests run no program by Foundation's `Process`: on Linux its start reads past the end of the list of open files, which ends
/// the process at certain numbers of files (swift-corelibs-foundation, issue 5472).
package enum TestProgram {
    /// Runs a program until it exits. Cancelling the task ends it.
    ///
    /// - Parameter input: What it reads from its standard input.
    /// - Throws: `MissingProgram`, or the error of a program that can't be started or prints too much.
    package static func run(_ name: String, _ arguments: [String], input: [UInt8] = []) async throws -> Outcome {
        _ = try path(of: name)
        let result = try await Subprocess.run(
            .name(name), arguments: Arguments(arguments), input: .array(input), output: .bytes(limit: outputLimit),
            error: .string(limit: outputLimit))
        return Outcome(
            succeeded: result.terminationStatus.isSuccess, output: result.standardOutput,
            errors: result.standardError)
    }

    /// The bytes that a program may print.
    private static let outputLimit = 64 << 20

    /// How a program ended.
    package struct Outcome: Sendable {
        /// Whether it exited with status 0.
        package let succeeded: Bool
        /// Its standard output.
        package let output: [UInt8]
        /// Its standard error.
        package let errors: String
    }

    /// Returns the path of a program in this process's PATH, or in another one.
    ///
    /// - Throws: `MissingProgram` with the package to install.
    package static func path(of name: String, on path: String? = nil) throws(MissingProgram) -> String {
        let path = path ?? ProcessInfo.processInfo.environment["PATH"] ?? ""
        let places = path.split(separator: ":").map { "\($0)/\(name)" }
        guard let path = places.first(where: FileManager.default.isExecutableFile) else {
            throw MissingProgram(name: name, package: packages[name])
        }
        return path
    }

    /// The Debian packages of the programs, from `Tests/programs`; empty outside a checkout of Satchel.
    private static let packages: [String: String] = {
        let table = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Tests/programs")
        // If the table can't be read, only the package's name is missing from the message.
        let lines = (try? String(contentsOf: table, encoding: .utf8))?.split(separator: "\n") ?? []
        let pairs = lines.filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ").map(String.init) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
    }()
}

/// The error if a program that a test needs is not installed.
package struct MissingProgram: Error, CustomStringConvertible {
    /// The name of the program.
    package let name: String
    /// The Debian package that contains it, if known.
    package let package: String?

    package var description: String {
        "the program \(name) is missing" + (package.map { "; on Debian: apt-get install \($0)" } ?? "")
    }
}
