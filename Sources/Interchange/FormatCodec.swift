public import Foundation
public import Records

/// Reads and writes one format. Pure: texts in, texts out.
///
/// What an export leaves out is found by parsing what it wrote, so the report is true.
public struct FormatCodec: Sendable {
    /// The format.
    public let format: ExchangeFormat
    private let rules: any FormatRules
    private let types: RecordTypes

    /// - Parameters:
    ///   - timeZone: where days begin, for formats that have days and no times.
    ///   - types: the record types, with their fields.
    public init(_ format: ExchangeFormat, timeZone: TimeZone, types: RecordTypes = .standard) {
        self.format = format
        self.types = types
        let days = Days(timeZone: timeZone)
        rules =
            switch format {
            case .satchel: SatchelFormat()
            case .taskwarrior: TaskwarriorFormat()
            case .todotxt: TodoTxtFormat(days: days)
            case .csv: CSVFormat(days: days, types: types)
            case .markdown: MarkdownFormat(days: days, types: types)
            }
    }

    /// Writes records; tombstones are left out. The same records give the same text, in whatever order they come.
    public func encode(_ records: some Sequence<Record>) -> ExportedDocument {
        var entries: [FormatEntry] = []
        var omissions = ExportedDocument.Omissions()
        for record in records where !record.deleted {
            guard let carried = rules.carried(record) else {
                omissions.records[record.key.collection, default: 0] += 1
                continue
            }
            entries.append(FormatEntry(record: record, base: Fingerprint.text(of: .object(carried))))
            for name in lost(of: record.fields, carried) { omissions.fields[name, default: 0] += 1 }
        }
        return ExportedDocument(
            content: rules.write(entries.sorted()), count: entries.count, omissions: omissions)
    }

    /// Reads records.
    ///
    /// - Parameter text: the file's; of a folder, a JSON object of its paths and texts.
    /// - Throws: `ImportError`, which names everything that can't be imported.
    public func decode(_ text: String) throws(ImportError) -> [ImportedRecord] { try rules.read(text) }

    /// What to do with a record of a file.
    ///
    /// - Parameter existing: the record of its key, its tombstone included; a deleted one stays deleted.
    public func plan(_ imported: ImportedRecord, existing: Record?) -> ImportPlan {
        rules.plan(imported, existing: existing)
    }

    /// The fields that don't come back as they are. Imports' marks are no concern of other programs.
    private func lost(of fields: JSONObject, _ carried: JSONObject) -> [String] {
        fields.names.filter {
            $0 != ImportMark.field && !SetField.isSame($0, fields[$0], carried[$0], in: types.catalog)
        }
    }
}

extension ExchangeFormat {
    /// The format of a text that shows it plainly: the two of JSON, a folder's files, and CSV by its header. Any text at all
    /// could be todo.txt, so that is never guessed.
    public init?(recognising text: String) {
        let start = text.drop { $0 == "\u{FEFF}" || $0.isWhitespace }
        switch start.first {
        case "[": self = .taskwarrior
        case "{":
            guard let value = try? JSONValue(parsing: String(start)) else {
                self = .taskwarrior
                return
            }
            self = value.object?["format"] != nil ? .satchel : NoteFolder(value) != nil ? .markdown : .taskwarrior
        default:
            if CSVFormat.isHeader(start.prefix { !$0.isNewline }) {
                self = .csv
            } else if TodoTxtFormat.isOwn(start) {
                self = .todotxt
            } else {
                return nil
            }
        }
    }
}

extension ExportedDocument {
    /// The id of the record that the Markdown file of a note names; nil if it names none.
    package static func recordID(inNote text: String) -> String? { MarkdownFormat.id(in: text) }
}
