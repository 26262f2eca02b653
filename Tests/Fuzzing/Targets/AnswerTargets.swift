internal import Controllers
internal import LocalStore
internal import Notebook
internal import Records
internal import SyncAPI
internal import SyncEngine
internal import Terminal

// Answers of a server with very large records, of a hook and of a terminal, and a terminal's keys.
extension FuzzTarget {
    static let answers = [
        FuzzTarget(bytes: "large-page") { input in
            // The first byte says where the input is cut, the second how large a record may be.
            guard input.count > 2 else { return }
            let (cut, limit, bytes) = (1 + Int(input[0]), 4 * Int(input[1]), Array(input[2...]))
            let large = largePage(bytes, recordLimit: limit, pieces: bytes.count)
            let pieces = largePage(bytes, recordLimit: limit, pieces: cut)
            try expect(pieces?.bytes == large?.bytes, "the page depends on how it arrives")
            try expect(pieces?.oversized == large?.oversized, "the omitted records depend on how they arrive")
            for record in large?.oversized ?? [] {
                try expect(record.bytes > limit, "a record of \(record.bytes) bytes is omitted")
                try expect(record.key.isValid, "an invalid key")
            }
            // What is read whole has the same records.
            guard (try? JSONValue(parsing: bytes)) != nil, let page = try? ChangesPage(body: bytes),
                let records = try? page.records.records()
            else { return }
            let text = String(decoding: bytes, as: UTF8.self)
            let all = try unwrap(
                largePage(bytes, recordLimit: bytes.count, pieces: cut), "a page whose records fit is refused: \(text)")
            try expect(all.oversized.isEmpty, "records that fit are omitted: \(text)")
            let again = try mustParse(text) { try ChangesPage(body: all.whole()) }
            try expect(again.cursor == page.cursor && again.more == page.more, "the page is read as another: \(text)")
            try expect(again.digest == page.digest, "the digest is read as another: \(text)")
            let found = try mustParse(text) { try again.records.records() }
            try expect(found == records, "the records are read as others: \(text)")
            // Refused, for example because the name of a large record is hidden by escapes.
            guard let large else { return }
            let kept = try mustParse(text) { try ChangesPage(body: large.whole()).records.records() }
            let present = counts(kept.map(\.key) + large.oversized.map(\.key))
            try expect(present == counts(records.map(\.key)), "records are lost: \(text)")
            var rest = records[...]
            for record in kept {
                let index = try unwrap(rest.firstIndex(of: record), "a record is read as another: \(text)")
                rest = rest[(index + 1)...]
            }
        },
        FuzzTarget(text: "hook-answer") { text in
            let fields: JSONObject = ["title": "Milk", "tags": ["shop"], "due": "2030-01-02T16:00:00Z[Europe/Berlin]"]
            // An added, a changed and a deleted record, and one that the program wasn't asked about.
            let planned = [
                PlannedEdit(RecordKey(collection: "tasks", id: "aa"), before: nil, after: fields),
                PlannedEdit(RecordKey(collection: "notes", id: "aa"), before: fields, after: ["title": "Bread"]),
                PlannedEdit(RecordKey(collection: "tasks", id: "bb"), before: fields, after: nil),
                PlannedEdit(RecordKey(collection: "tasks", id: "cc"), before: fields, after: fields),
            ]
            var edits = planned
            do {
                try reviewer.apply(HookResult("hook", output: text), to: &edits, at: [0, 1, 2])
            } catch let refusal as RefusedEdit {
                return try expect(refusal.message.hasPrefix("The hook hook printed "), "a refusal without a reason")
            }
            try expect(edits.map(\.key) == planned.map(\.key), "the edits are of other records")
            try expect(edits.map(\.before) == planned.map(\.before), "the fields before the edit are others")
            try expect(edits[0].after != nil && edits[1].after != nil, "an edit became a deletion")
            try expect(edits[2...] == planned[2...], "an edit is changed that can't be")
            let isRecord = text.split(whereSeparator: \.isNewline).contains { $0.hasPrefix("{") }
            try expect(isRecord || edits == planned, "a message changes an edit")
        },
        FuzzTarget(bytes: "terminal-answer") { input in
            let text = String(decoding: input, as: UTF8.self)
            _ = TerminalBackground(colorFGBG: text)
            let attributes = "\u{1B}[?65;1c"
            try expect(
                TerminalBackground(answer: text) == TerminalBackground(answer: text + attributes),
                "the colour depends on the answer to the next question")
            try expect(
                BackgroundColorQuery.isComplete(input + Array(attributes.utf8)), "the last answer doesn't end the wait")
            guard BackgroundColorQuery.isComplete(input) else { return }
            try expect(input.last == UInt8(ascii: "c") && input.contains(0x1B), "the wait ends before the last answer")
        },
        FuzzTarget(bytes: "keys") { input in
            // The first byte says where the input is cut.
            guard input.count > 1 else { return }
            let (cut, bytes) = (1 + Int(input[0]), Array(input[1...]))
            let found = keys(bytes, pieces: bytes.count)
            try expect(keys(bytes, pieces: cut) == found, "the keys depend on how they arrive")
            for case .text(let text) in found {
                let isPlain = text.unicodeScalars.allSatisfy { scalar in
                    ["\t", "\n"].contains(scalar) || scalar.properties.generalCategory != .control
                }
                try expect(isPlain, "a pasted text has control characters")
            }
        },
    ]

    /// Returns the keys in bytes that arrive in pieces of a number of bytes.
    private static func keys(_ bytes: [UInt8], pieces: Int) -> [KeyDecoder.Key] {
        var decoder = KeyDecoder()
        var keys: [KeyDecoder.Key] = []
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            decoder.append(bytes[start..<min(start + pieces, bytes.count)])
            while let key = decoder.next(isAll: false) { keys.append(key) }
        }
        while let key = decoder.next(isAll: true) { keys.append(key) }
        return keys
    }

    /// Reads a page in pieces of a number of bytes; nil: it is refused.
    private static func largePage(_ bytes: [UInt8], recordLimit: Int, pieces: Int) -> LargePage? {
        // Larger than all inputs.
        var page = LargePage(recordLimit: recordLimit, pageLimit: 1 << 24)
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            do throws(MalformedAnswer) {
                try page.append(Array(bytes[start..<min(start + pieces, bytes.count)]))
            } catch { return nil }
        }
        return page
    }

    private static func counts(_ keys: [RecordKey]) -> [RecordKey: Int] {
        keys.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    private static let reviewer = HookReviewer(
        ReviewPrograms(
            programs: { _ in [] }, run: { name, _ in HookResult(name) }, timeLimit: .seconds(1), report: { _ in },
            advice: "Type it again."), types: .standard)
}
