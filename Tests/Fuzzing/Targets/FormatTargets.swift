internal import Foundation
internal import Interchange
internal import Markdown
internal import Records
internal import SafeText

// Files of other programs, and texts of records.
extension FuzzTarget {
    static let formats =
        ExchangeFormat.allCases.map { format in
            FuzzTarget(text: "import-\(format.rawValue)") { text in
                let codec = FormatCodec(format, timeZone: .gmt, types: .standard)
                _ = ImportSource(text, as: nil, name: "file.\(format.rawValue)")
                let read: [ImportedRecord]
                do throws(ImportError) { read = try codec.decode(text) } catch {
                    try expect(!error.problems.isEmpty, "an error without a problem")
                    for problem in error.problems { try expect(!problem.reason.isEmpty, "a problem without a reason") }
                    return
                }
                try expect(Set(read.map(\.key)).count == read.count, "two records have the same id")
                for record in read {
                    try expect(record.key.isValid, "the key \(record.key) isn't valid")
                    if case .create = codec.plan(record, existing: nil) { continue }
                    throw Violation(description: "a new record isn't created")
                }
                let records = read.map { Record(key: $0.key, fields: $0.fields, clock: $0.clock) }
                let written = codec.encode(records)
                try expect(written.count <= records.count, "more records are written than there are")
                let again = try mustParse(written.text) { try codec.decode(written.text) }
                try expect(again.count == written.count, "\(written.count) records are written, \(again.count) read")
                if written.omissions.isEmpty {
                    let fields = Dictionary(uniqueKeysWithValues: again.map { ($0.key, $0.fields) })
                    for record in records where fields[record.key].map({ isSame($0, record.fields) }) != true {
                        let now = fields[record.key]?.text ?? "nothing"
                        throw Violation(description: "\(record.fields.text) is read as \(now): \(written.text)")
                    }
                }
            }
        } + [
            FuzzTarget(text: "import-any") { text in
                for name in [nil, "a.md", "a.json", "notes/", "x.csv"] { _ = ImportSource(text, as: nil, name: name) }
                _ = ExchangeFormat(path: text)
            },
            FuzzTarget(text: "record-text") { text in
                let record: RecordText
                do throws(RecordText.Fault) { record = try RecordText(parsing: text) } catch {
                    try expect(!error.reason.isEmpty, "an error without a reason")
                    return
                }
                let names = record.members.map(\.name)
                try expect(Set(names).count == names.count, "a name occurs twice")
            },
            FuzzTarget(text: "markdown") { text in
                guard let document = MarkdownDocument(text) else { return }
                try expect(text.utf8.count <= MarkdownLimits.textBytes, "a long text is parsed")
                try expect(document == MarkdownDocument(text), "a text is parsed in two ways")
            },
            FuzzTarget(text: "safe-text") { text in
                let safe = text.sanitized
                try expect(safe.sanitized.utf8.elementsEqual(safe.utf8), "a safe text isn't safe")
                let controls = safe.unicodeScalars.filter {
                    $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
                }
                try expect(controls.isEmpty, "a safe text has control characters")
            },
        ]

    /// Returns whether fields are the same; the order of the elements of a set doesn't matter.
    private static func isSame(_ one: JSONObject, _ other: JSONObject) -> Bool {
        Set(one.names).union(other.names).allSatisfy { name in
            if one[name] == other[name] { return true }
            guard let one = one[name]?.array, let other = other[name]?.array else { return false }
            return one.allSatisfy(other.contains) && other.allSatisfy(one.contains)
        }
    }
}
