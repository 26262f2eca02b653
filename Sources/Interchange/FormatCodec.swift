public import Foundation
public import Records

/// Encodes and decodes one format. It is pure and does no I/O.
///
/// The omissions of an export are found by parsing the written text, so the report is reliable.
public struct FormatCodec: Sendable {
    /// The format.
    public let format: ExchangeFormat
    private let rules: any FormatRules
    private let types: RecordTypes

    /// Creates a codec.
    ///
    /// - Parameters:
    ///   - format: The format.
    ///   - timeZone: The time zone of days, for formats that have days without times.
    ///   - types: The record types, with their fields.
    public init(_ format: ExchangeFormat, timeZone: TimeZone, types: RecordTypes) {
        self.format = format
        self.types = types
        let days = Days(timeZone: timeZone)
        rules =
            switch format {
            case .satchel: SatchelFormat()
            case .taskwarrior: TaskwarriorFormat(days: days)
            case .todotxt: TodoTxtFormat(days: days)
            case .csv: CSVFormat(days: days, types: types)
            case .markdown: MarkdownFormat(days: days, types: types)
            }
    }

    /// Encodes records; tombstones are omitted. The same records have the same text, in any order.
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

    /// Checks a file and returns its records, which some formats parse one after the other as they are read.
    ///
    /// - Parameter text: The text of the file; for a folder, a JSON object of its paths and texts.
    /// - Throws: `ImportError`, with everything that can't be imported.
    package func records(in text: String) throws(ImportError) -> ImportedRecords { try rules.read(text) }

    /// Decodes all records at once.
    ///
    /// - Parameter text: The text of the file; for a folder, a JSON object of its paths and texts.
    /// - Throws: `ImportError`, with everything that can't be imported.
    public func decode(_ text: String) throws(ImportError) -> [ImportedRecord] { try records(in: text).all() }

    /// Returns what to do with a record of a file.
    ///
    /// - Parameters:
    ///   - imported: The record in the file.
    ///   - existing: The record with its key, also a tombstone; a deleted one stays deleted.
    public func plan(_ imported: ImportedRecord, existing: Record?) -> ImportPlan {
        rules.plan(imported, existing: existing)
    }

    /// Returns the names of the fields that differ when the export is read again. The marks of imports are internal and
    /// don't count. A time without its time zone is the same time, so that doesn't count, either.
    private func lost(of fields: JSONObject, _ carried: JSONObject) -> [String] {
        fields.names.filter {
            $0 != ImportMark.field && !SetField.isSame($0, fields[$0], carried[$0], in: types.catalog)
                && !isSameTime(fields[$0], carried[$0], types.catalog[$0])
        }
    }

    private func isSameTime(_ one: JSONValue?, _ other: JSONValue?, _ field: Field?) -> Bool {
        guard case .date? = field?.kind, let one = one.flatMap(DateValue.read),
            let other = other.flatMap(DateValue.read)
        else { return false }
        return one.withoutZone == other.withoutZone
    }
}

extension ExchangeFormat {
    /// Recognises the format of a text: the two of JSON, the files of a folder, CSV by its header, and todo.txt with
    /// ids as Satchel writes it. Any other text could be todo.txt, so that is never guessed.
    public init?(recognising text: String) {
        let start = text.drop { $0 == "\u{FEFF}" || $0.isWhitespace }
        switch start.first {
        case "[": self = .taskwarrior
        case "{":
            let mark = text.utf8.count - start.utf8.count
            // Of Satchel's own export, which may be long, only the beginning is parsed: the import parses the whole.
            if text.withBytes({ SatchelFormat.matchesBeginning(of: UnsafeBufferPointer(rebasing: $0[mark...])) }) {
                self = .satchel
                return
            }
            let parsed = text.withBytes { bytes in
                Result { () throws(JSONError) -> JSONObject? in
                    // The records of a large file aren't needed here.
                    try JSONValue.parseObject(
                        of: UnsafeBufferPointer(rebasing: bytes[mark...]), passing: SatchelFormat.recordsMember
                    ) { _, _ in }
                }
            }
            // Read as Satchel's own format, an object whose end is missing is refused as incomplete.
            if case .failure(let error) = parsed, error.isEndMissing(in: start.utf8) {
                self = .satchel
                return
            }
            // Several objects, one on each line, aren't one JSON value; this is a form of Taskwarrior.
            guard case .success(let object?) = parsed else {
                self = .taskwarrior
                return
            }
            if object[SatchelFormat.formatMember] != nil {
                self = .satchel
            } else if object.isEmpty {
                return nil
            } else {
                self = NoteFolder(.object(object)) != nil ? .markdown : .taskwarrior
            }
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
    /// Returns the id in the Markdown file of a note; nil if there is none.
    package static func recordID(inNote text: String) -> String? { MarkdownFormat.id(in: text) }
}
