import Records
import struct Records.Record

/// Keeps account of edits without any knowledge of merging: each edit writes words that nobody else writes, and a word
/// may vanish only at the hands of somebody who saw it.
struct EditLedger: Sendable {
    private var written: [String: String] = [:]
    private var removed: Set<String> = []
    private var count = 0

    /// A word that was never used before.
    mutating func newWord() -> String {
        count += 1
        return "w\(count)"
    }

    /// Notes what a person did to a record that looked like `before` to them.
    mutating func note(_ before: Record?, _ after: Record?, by device: String) {
        let (had, has) = (Self.words(of: before), Self.words(of: after))
        removed.formUnion(had.subtracting(has))
        for word in has.subtracting(had) { written[word] = device }
    }

    /// The words that are nowhere in these records, and that nobody has removed.
    func lost(in records: some Sequence<Record>) -> [String] {
        let there = records.reduce(into: Set<String>()) { $0.formUnion(Self.words(of: $1)) }
        return written.keys.filter { !removed.contains($0) && !there.contains($0) }.sorted().map {
            "\($0) by \(written[$0] ?? "?")"
        }
    }

    private static func words(of record: Record?) -> Set<String> {
        guard let record, !record.deleted else { return [] }
        let parts = record.fields.map(\.value.text).joined(separator: " ").split { !$0.isLetter && !$0.isNumber }
        return Set(parts.lazy.filter { $0.first == "w" && $0.dropFirst().allSatisfy(\.isNumber) }.map(String.init))
    }
}
