import Foundation

/// A program of the system that a test calls, looked up on the PATH.
package enum TestProgram {
    /// The path of a program, on this process's PATH unless another is given.
    ///
    /// - Throws: `MissingProgram`, so that the test fails at once and says what to install.
    package static func path(of name: String, on path: String? = nil) throws(MissingProgram) -> String {
        let path = path ?? ProcessInfo.processInfo.environment["PATH"] ?? ""
        let places = path.split(separator: ":").map { "\($0)/\(name)" }
        guard let path = places.first(where: FileManager.default.isExecutableFile) else {
            throw MissingProgram(name: name, package: packages[name])
        }
        return path
    }

    /// The Debian package of each program, as `Tests/programs` lists them; empty outside a checkout of Satchel.
    private static let packages: [String: String] = {
        let table = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Tests/programs")
        // If the table can't be read, only the package's name is missing from the message.
        let lines = (try? String(contentsOf: table, encoding: .utf8))?.split(separator: "\n") ?? []
        let pairs = lines.filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ").map(String.init) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
    }()
}

/// A program that a test needs is not installed.
package struct MissingProgram: Error, CustomStringConvertible {
    /// The program, by the name under which it is called.
    package let name: String
    /// The Debian package that contains it, if known.
    package let package: String?

    package var description: String {
        "the program \(name) is missing" + (package.map { "; on Debian: apt-get install \($0)" } ?? "")
    }
}
