import Foundation
import Records
import SyncAPI
import Testing

@Suite("Limits")
struct LimitsTests {
    /// One inequality: what is stored can be sent, and what is sent can be received.
    @Test(
        "The largest record is smaller than the largest page, that than the largest answer, that than a client's limit")
    func sizes() {
        let sizes = [
            Limits.fieldsBytes, Limits.recordBytes, Limits.recordOnWire, Limits.largestPage, Limits.largestPushAnswer,
            Limits.largestAnswer,
        ]
        for (smaller, larger) in zip(sizes, sizes.dropFirst()) { #expect(smaller < larger, "\(sizes)") }
    }

    @Test("Each record that a server accepts can be changed by a request of its own")
    func changes() {
        #expect(2 * Limits.recordBytes < Limits.changedBytes)
        #expect(Limits.recordOnWire < Limits.largestReceivedRecord)
    }

    // MARK: The table of the protocol

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

    @Test("Each row of the protocol's table has the numbers of the code", arguments: rows)
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
