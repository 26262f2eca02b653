public import Foundation
public import Records

/// Reads and writes one format. Pure: texts in, texts out.
///
/// What an export leaves out is found by parsing what it wrote, so the report is true.
public struct FormatCodec: Sendable {
    /// The format.
    public let format: ExchangeFormat
    private let rules: any FormatRules

    /// - Parameters:
    ///   - timeZone: where days begin, for formats that have days and no times.
    ///   - types: the kinds of records, with their fields.
    public init(_ format: ExchangeFormat, timeZone: TimeZone, types: RecordTypes = .standard) {
        self.format = format
        let days = Days(timeZone: timeZone)
        rules =
            switch format {
            case .satchel: SatchelFormat()
            case .taskwarrior: TaskwarriorFormat()
            case .todotxt: TodoTxtFormat(days: days)
            case .csv: CSVFormat(days: days, types: types)
            case .markdown: MarkdownFormat(days: days)
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
            for name in Self.lost(of: record.fields, carried) { omissions.fields[name, default: 0] += 1 }
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
    private static func lost(of fields: JSONObject, _ carried: JSONObject) -> [String] {
        fields.names.filter { $0 != ImportMark.field && !SetField.isSame($0, fields[$0], carried[$0]) }
    }
}

/// A record that is to be written.
struct FormatEntry: Comparable {
    let record: Record
    /// The fingerprint of what is written, for formats that note it.
    let base: String?

    /// By the time of entry, then by key.
    static func < (left: FormatEntry, right: FormatEntry) -> Bool { left.order < right.order }

    private var order: (String, String, String) {
        (record.fields[FieldKey.entry.name]?.string ?? "", record.key.collection, record.key.id)
    }
}

/// The rules of a format: how it is written, read, and imported.
protocol FormatRules: Sendable {
    var format: ExchangeFormat { get }
    /// Writes entries; those that have no place are left out.
    func write(_ entries: [FormatEntry]) -> ExportedDocument.Content
    func read(_ text: String) throws(ImportError) -> [ImportedRecord]
    /// The fields of a record that come back when it is written and read; nil if it has no place.
    func carried(_ record: Record) -> JSONObject?
    func plan(_ imported: ImportedRecord, existing: Record?) -> ImportPlan
}

extension FormatRules {
    func carried(_ record: Record) -> JSONObject? {
        let content = write([FormatEntry(record: record, base: nil)])
        let text = ExportedDocument(content: content, count: 1, omissions: .init()).text
        // What can't be read again is as good as not written.
        guard let read = try? read(text), let only = read.first, read.count == 1, only.key == record.key else {
            return nil
        }
        return only.fields
    }

    func plan(_ imported: ImportedRecord, existing: Record?) -> ImportPlan {
        guard let existing else { return .create(imported.marked(by: format)) }
        if existing.deleted { return .unchanged }
        let written = carried(existing) ?? existing.fields
        return ImportPlanner(format: format, imported: imported, existing: existing, written: written).plan()
    }
}
