import Backend
import Records
import struct Records.Record
import SyncAPI

/// The independent model: records edits without any knowledge of merging. Each edit writes unique words, and a word may
/// vanish only if an edit removed it whose author had seen it.
struct EditLedger {
    /// Who wrote each word, and where.
    private var written: [String: Place] = [:]
    /// Words removed by an edit whose author had seen them, and words of edits that may have failed.
    private var released: Set<String> = []
    /// For each word, those that its author had ever seen in that record.
    private var knownBefore: [String: Set<String>] = [:]
    /// What each account's device has ever seen of each record.
    private var seen: [Sight: Set<String>] = [:]

    private struct Place {
        var account: String
        var device: String
        var record: RecordKey
    }

    private struct Sight: Hashable {
        var device: String
        var record: RecordKey
    }

    /// Records a user's edit of a record whose state was `before` for them.
    mutating func note(_ before: Record?, _ after: Record?, of key: RecordKey, by device: String, account: String) {
        let (had, has) = (Self.words(of: before), Self.words(of: after))
        let sight = Sight(device: device, record: key)
        var known = seen[sight] ?? []
        for word in had { known.formUnion(knownBefore[word] ?? []) }
        known.formUnion(had)
        released.formUnion(had.subtracting(has))
        // A revived record has words again that were written before.
        for word in has.subtracting(had) where written[word] == nil {
            written[word] = Place(account: account, device: device, record: key)
            knownBefore[word] = known
        }
        seen[sight] = known.union(has)
    }

    /// Records a failed edit: after a power cut it is unknown whether the edit was stored.
    mutating func doubt(_ before: Record?, _ after: Record?, of key: RecordKey, by device: String, account: String) {
        note(before, after, of: key, by: device, account: account)
        released.formUnion(Self.words(of: after).subtracting(Self.words(of: before)))
    }

    /// The words of an account that are in none of these records and that no edit has removed.
    func lost(in records: some Sequence<Record>, account: String) -> [String] {
        let there = records.reduce(into: Set<String>()) { $0.formUnion(Self.words(of: $1)) }
        return written.filter { $0.value.account == account && !released.contains($0.key) && !there.contains($0.key) }
            .map { "\($0.key) of \($0.value.record.collection)/\($0.value.record.id), by \($0.value.device)" }.sorted()
    }

    /// Words in these records that another account wrote.
    func strange(in records: some Sequence<Record>, account: String) -> [String] {
        records.reduce(into: Set<String>()) { $0.formUnion(Self.words(of: $1)) }
            .filter { written[$0].map { $0.account != account } ?? false }.sorted()
    }

    /// Conflicts of two edits of which the later one's author had seen the earlier one.
    func falseConflicts(in records: some Sequence<Record>) -> [String] {
        records.compactMap { record in
            guard record.key.collection == "conflicts", record.fields["kept"]?.string == "later" else { return nil }
            let sides = ["earlier", "later"].map { Self.words(in: record.fields[$0]?.object?["value"]?.text ?? "") }
            guard sides.allSatisfy({ $0.count == 1 }), let one = sides[0].first, let other = sides[1].first,
                knownBefore[one]?.contains(other) == true || knownBefore[other]?.contains(one) == true
            else { return nil }
            return "\(one) and \(other)"
        }.sorted()
    }

    private static func words(of record: Record?) -> Set<String> {
        guard let record, !record.deleted else { return [] }
        return words(in: record.fields.text)
    }

    private static func words(in text: String) -> Set<String> {
        var words: Set<String> = []
        var word: [UInt8] = []
        func end() {
            if word.count > 2, word[0] == UInt8(ascii: "w"), word.dropFirst().dropLast().allSatisfy({ $0 < 0x3A }) {
                words.insert(String(decoding: word, as: UTF8.self))
            }
            word.removeAll(keepingCapacity: true)
        }
        var isEscaped = false
        for byte in text.utf8 {
            // The n of a line break in JSON is no letter.
            if isEscaped || byte == UInt8(ascii: "\\") {
                isEscaped.toggle()
                end()
                continue
            }
            let isWord = (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte)
            if isWord { word.append(byte) } else { end() }
        }
        end()
        return words
    }
}

/// Stores the outcome of each idempotency key, and detects when one was applied twice.
struct IdempotencyModel {
    private var outcomes: [String: [String]] = [:]

    /// Records an answer; returns its fault, if any.
    mutating func note(_ request: HTTPRequest, _ response: HTTPResponse) -> String? {
        guard let key = request.header(Header.idempotencyKey), response.head.status == 200,
            let results = (try? JSONValue(parsing: response.body))?.object?["results"]?.array
        else { return nil }
        let outcome = results.map { result in
            let version = result.object?["version"]?.integer.map(String.init) ?? ""
            return (result.object?["status"]?.string ?? "") + version
        }
        defer { outcomes[key] = outcome }
        guard let known = outcomes[key], known != outcome else { return nil }
        return "the key \(key) had the outcome \(known) and then \(outcome)"
    }
}
