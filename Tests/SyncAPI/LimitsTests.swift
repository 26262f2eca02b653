import Foundation
import Records
import SyncAPI
import Testing

/// The numbers of ``Limits`` are those of the protocol's table.
@Suite("The protocol's limits")
struct LimitsTests {
    /// The rows of the table that have numbers of ``Limits``, and how they name them.
    private static let rows: [(String, [String])] = [
        (
            "a request's body",
            [
                size(Limits.bodyBytes), "\(grouped(Limits.bodyValues)) JSON values",
                "accounts and sessions \(size(Limits.accountBodyBytes))",
            ]
        ),
        ("a record's fields", [size(Limits.fieldsBytes), "at most \(JSONValue.maximumDepth) levels"]),
        ("a record's fields and clocks together", [size(Limits.recordBytes)]),
        ("mutations of a request", [grouped(Limits.mutations)]),
        ("records that a push, PUT or PATCH reads to change them", [size(Limits.changedBytes)]),
        ("whole numbers in a request", [grouped(Int(BodySchema.largestInteger))]),
        (
            "records on a page",
            ["\(grouped(Limits.pageDefault)) unless given", "at most \(grouped(Limits.pageMaximum))"]
        ),
        ("a page", ["reached \(size(Limits.pageBytes))"]),
        (
            "what a client receives",
            ["an answer of \(size(Limits.largestAnswer))", "records of \(size(Limits.largestReceivedRecord))"]
        ),
        (
            "a password, a user name, a device's name",
            ["\(Limits.passwordCharacters) characters to \(grouped(Limits.passwordBytes.upperBound)) bytes"]
        ),
        ("an app password, a one-time code", ["\(Limits.appPasswordSeconds / (365 * 86_400)) years at most"]),
    ]

    @Test("each row of the table has the numbers of the code", arguments: rows)
    func table(what: String, texts: [String]) throws {
        let page = URL(filePath: #filePath)
            .appending(path: "../../../Sources/SyncAPI/SyncAPI.docc/Protocol.md").standardizedFileURL
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
        let row = try #require(lines.first { $0.hasPrefix("| \(what) | ") }, "the table has no row “\(what)”")
        // With the space before it, 8 MiB is not found in 18 MiB.
        for text in texts { #expect(row.contains(" \(text)"), "\(row)") }
    }

    private static func size(_ bytes: Int) -> String {
        bytes.isMultiple(of: 1 << 20) ? "\(bytes >> 20) MiB" : "\(bytes >> 10) KiB"
    }

    /// Returns a number with commas.
    private static func grouped(_ number: Int) -> String {
        var text = String(number)
        for offset in stride(from: text.count - 3, to: 0, by: -3) {
            text.insert(",", at: text.index(text.startIndex, offsetBy: offset))
        }
        return text
    }
}
