internal import Foundation
internal import Records

/// A format for import and export. New cases may be added.
public enum ExchangeFormat: String, CaseIterable, Sendable {
    /// Satchel's own JSON format: all records of all types.
    case satchel
    /// The JSON of `task export` and `task import`.
    case taskwarrior
    /// Tasks, one on each line (todotxt.org).
    case todotxt
    /// A table of tasks, notes and other records (RFC 4180).
    case csv
    /// Notes as files of a folder.
    case markdown

    /// The name for the user.
    public var title: String {
        switch self {
        case .satchel: "JSON"
        case .taskwarrior: "Taskwarrior's JSON"
        case .todotxt: "todo.txt"
        case .csv: "CSV"
        case .markdown: "Markdown"
        }
    }

    /// The records that the format can hold, for messages; nil: all that lists show.
    var limits: String? {
        switch self {
        case .satchel, .csv: nil
        case .taskwarrior: "tasks only"
        case .todotxt: "tasks that are neither deleted nor templates"
        case .markdown: "notes and other documents"
        }
    }

    /// Returns the format that the extension of a path shows: `.txt`, `.csv`, `.md`, a folder's `/`, or Satchel's for
    /// `.json`; nil if it shows none.
    public init?(path: String) {
        if path.hasSuffix("/") {
            self = .markdown
            return
        }
        let parts = path.split(separator: "/").last?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        // A word without a full stop has no extension: in `export json`, the word is meant as a format and not as a
        // file.
        switch parts.count > 1 ? parts.last?.lowercased() : nil {
        case "json": self = .satchel
        case "txt": self = .todotxt
        case "csv": self = .csv
        case "md", "markdown": self = .markdown
        default: return nil
        }
    }
}

/// The rules of a format: writing, reading, and importing.
protocol FormatRules: Sendable {
    var format: ExchangeFormat { get }
    /// The record types, with their fields.
    var types: RecordTypes { get }
    /// Writes entries; those that the format can't store are omitted.
    func write(_ entries: [FormatEntry]) -> ExportedDocument.Content
    /// Checks a file and returns its records; a format that can parse them one by one does so as they are read. The
    /// text has no byte order mark, see `read`.
    func records(in text: String) throws(ImportError) -> ImportedRecords
    /// Returns the fields of a record after it was written and read again; nil if the format can't store it.
    func carried(_ record: Record) -> JSONObject?
    func plan(_ imported: ImportedRecord, existing: Record?) -> ImportPlan
}

extension FormatRules {
    var types: RecordTypes { .standard }

    /// Checks a file and returns its records. It may begin with a byte order mark.
    func read(_ text: String) throws(ImportError) -> ImportedRecords { try records(in: text.withoutByteOrderMark) }

    func carried(_ record: Record) -> JSONObject? {
        let content = write([FormatEntry(record: record, base: nil)])
        let text = ExportedDocument(content: content, count: 1, omissions: .init()).text
        // `try?`: a record that can't be read again counts as not written.
        guard let read = try? read(text).all(), let only = read.first, read.count == 1, only.key == record.key
        else {
            return nil
        }
        return only.fields
    }

    func plan(_ imported: ImportedRecord, existing: Record?) -> ImportPlan {
        guard let existing else { return .create(imported.marked(by: format)) }
        // An import doesn't revive what was deleted here.
        if existing.deleted { return .unchanged }
        let written = carried(existing) ?? existing.fields
        return ImportPlanner(
            format: format, imported: imported, existing: existing, written: written,
            catalog: types.catalog(for: existing.key.collection)
        ).plan()
    }
}

extension String {
    /// The text without the byte order mark that some editors write at the beginning of a file.
    var withoutByteOrderMark: String {
        utf8.starts(with: [0xEF, 0xBB, 0xBF]) ? String(decoding: utf8.dropFirst(3), as: UTF8.self) : self
    }
}

/// A record to write.
struct FormatEntry: Comparable {
    let record: Record
    /// The fingerprint of the written state, for formats that store it.
    let base: String?

    /// Compares by the time of entry, then by key.
    static func < (left: FormatEntry, right: FormatEntry) -> Bool { left.order < right.order }

    private var order: (String, String, String) {
        (record.fields[FieldKey.entry.name]?.string ?? "", record.key.collection, record.key.id)
    }
}

/// Days and times in a time zone, as text.
struct Days: Sendable {
    private let calendar: Calendar

    init(timeZone: TimeZone) { calendar = LocalTime.calendar(in: timeZone) }

    /// The IANA name of the time zone.
    var zone: String { calendar.timeZone.identifier }

    /// The time zone.
    var timeZone: TimeZone { calendar.timeZone }

    /// Returns the day of a date.
    func day(of date: DateValue) -> CalendarDay { date.day(in: calendar) }

    /// Returns a date that is as many days later as `end` is after `start`.
    func moved(_ date: DateValue, from start: DateValue, to end: DateValue) -> DateValue {
        date.moved(from: start, to: end, in: calendar)
    }

    /// Returns the day of a time: `2026-11-21`.
    func text(of moment: Timestamp) -> String { LocalTime.day(moment.date, in: calendar) }

    /// Returns the start of a day; nil for any other text.
    func start(of text: String) -> Timestamp? {
        // `Timestamp` refuses days that don't exist; the calendar would accept 2026-02-30.
        guard text.utf8.count == 10, Timestamp(text + "T12:00:00Z") != nil else { return nil }
        let numbers = text.split(separator: "-").compactMap { Int($0) }
        guard numbers.count == 3, numbers[0] > 0 else { return nil }
        let parts = DateComponents(year: numbers[0], month: numbers[1], day: numbers[2])
        return calendar.date(from: parts).map { calendar.startOfDay(for: $0) }.flatMap { Timestamp($0) }
    }

    /// Returns the text of a time for a record: RFC 3339 as written, so that importing an exported file changes nothing;
    /// a day means its start. Nil for any other text.
    func momentText(_ text: String) -> String? { Timestamp(text) != nil ? text : moment(text)?.description }

    /// Returns the text of a day or a time for a record, as written if it is one of a record; nil for any other text.
    func dateText(_ text: String) -> String? { DateValue(text) != nil ? text : momentText(text) }

    /// Returns the time of a day in the time zone, as a day if the day starts with it.
    func wholeDay(_ time: Timestamp) -> DateValue { DateValue(time, wholeDayIn: calendar.timeZone) }

    /// Returns the time; of a day, its start.
    func start(of date: DateValue) -> Timestamp { date.start(in: calendar) }

    /// Returns the day of a date: `2026-11-21`.
    func text(of date: DateValue) -> String {
        switch date {
        case .day(let day): day.description
        case .time(let time, _): text(of: time)
        }
    }

    /// Returns the time of RFC 3339, a day, or a day and a local time: `2026-11-21 15:00`; nil for any other text.
    func moment(_ text: String) -> Timestamp? {
        if let moment = Timestamp(text) ?? start(of: text) { return moment }
        let parts = text.split(whereSeparator: { $0 == " " || $0 == "T" }).map(String.init)
        guard parts.count == 2, let start = start(of: parts[0]),
            let clock = Timestamp("1970-01-01T" + parts[1] + (parts[1].utf8.count == 5 ? ":00Z" : "Z"))
        else { return nil }
        let (hour, minute) = (Int(clock.seconds / 3_600), Int(clock.seconds / 60 % 60))
        return calendar.date(
            bySettingHour: hour, minute: minute, second: Int(clock.seconds % 60), of: start.date
        ).flatMap { Timestamp($0) }
    }
}
