internal import ControllerKit
internal import Foundation
internal import Notebook
public import Records
public import struct Records.Record

extension ListScreen.State {
    /// A record in a list. In JSON each value is a member with the name of its field; a date has a second member
    /// `NAMEWords`, and a short form a second member `NAMECanonical`: `repeat` is `2w`, and `repeatCanonical` is
    /// `FREQ=WEEKLY;INTERVAL=2`. A field with the name of another member is called `field.NAME`. A day is `2026-12-24`,
    /// a time is RFC 3339 in UTC; if it has a time zone, the member `NAMEZone` is its name. The member `values` has all
    /// fields, also those without a column.
    public struct Row: Equatable, Sendable {
        /// Its number, which names it until the next list on this terminal.
        public var number: Int
        /// Its full id.
        public var id: String
        /// Its short id (see `ShortID`): the shortest unique prefix of its id, of a UUID in letters.
        public var prefix: String
        /// Its collection: `tasks`.
        public var collection: String
        /// Its title.
        public var title: String
        /// The values of the other columns, by field name.
        public var values: [String: Value]
        /// The canonical texts of values that have a short form, by field name: the rule of RFC 5545 for the interval
        /// `2w`.
        public var canonicalTexts: [String: String] = [:]
        /// Whether its deadline is past and it isn't done. A deadline without a time is past when the day is over.
        public var isOverdue: Bool
        /// Whether it is done; nil: records of its type can't be done.
        public var isDone: Bool?
        /// The mark of its state: `done`, a value that another program wrote, or the noun of a type that can't be done;
        /// `started` for an open record on which work has begun; nil: it is open.
        public var mark: String?
        /// Whether it has a body or annotations.
        public var hasMore: Bool
        /// Whether it has edits that the account's server hasn't acknowledged; false before the first sign-in.
        public var isUnsent: Bool
        /// Whether it has an open conflict.
        public var hasConflict = false
        /// Whether lists show it before the others of its type; `values` has the field. In JSON only if it is true.
        public var isPinned = false
        /// Its nesting depth: how many parent records it is indented under.
        public var depth = 0
        /// Its urgency; nil after a search, and for records that can't be completed.
        public var urgency: Double?
        /// The progress of its parts; nil: it has none.
        public var progress: RecordLinks.Progress?
        /// Its group; the rows of a group are adjacent. Nil: the list isn't grouped, as after a search or with `sort:`.
        public var group: Group?
        /// The matches of a search; nil in a list.
        public var match: Match?
        /// All fields of the record by name, for programs; in JSON, the member `values`.
        public var typed = TypedFields()
        /// The values of the fields that the user's settings show in addition. JSON omits them: `values` has all fields.
        public var additional: [String: Value] = [:]

        /// Returns the value of a field that the list shows; nil: none.
        public func value(of field: Field) -> Value? { values[field.name] ?? additional[field.name] }
    }

    /// The value of a field in a row. New cases may be added.
    public enum Value: Equatable, Sendable {
        /// A text, or the value of a choice.
        case text(String)
        /// A day or a time, and its short form in the user's time zone (`DateWords`): `tomorrow 15:00`, `27 Nov`.
        case date(DateValue, words: String)
        /// A number.
        case number(Double)
        /// True or false.
        case flag(Bool)
        /// A set of texts.
        case texts([String])
    }

    /// A group of a list: records due on certain days, completed records, or the records of a type without a deadline.
    /// A record stays in its group until the next list.
    public struct Group: RawRepresentable, Hashable, Codable, Sendable {
        /// Its name for programs. For records of a type without a deadline, their collection.
        public let rawValue: String

        /// Creates a group with this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Due before today.
        public static let overdue = Self(rawValue: "overdue")
        /// Due today, also if the time is past.
        public static let today = Self(rawValue: "today")
        /// Due tomorrow.
        public static let tomorrow = Self(rawValue: "tomorrow")
        /// Due after tomorrow, until the end of the week.
        public static let thisWeek = Self(rawValue: "this-week")
        /// Due after this week.
        public static let later = Self(rawValue: "later")
        /// Records without a date whose type has a deadline.
        public static let noDate = Self(rawValue: "no-date")
        /// Completed records.
        public static let done = Self(rawValue: "done")
        /// Records that were found after the list was made.
        public static let new = Self(rawValue: "new")
    }
}

// MARK: - From records

/// The facts, other than the records, on which the rows of a list depend.
struct RowContext: Sendable {
    let types: RecordTypes
    let horizon: Horizon
    let words: DateWords
    /// The fields that rows show in addition to those with a column.
    let additional: [Field]
    /// The words that were searched for; nil for a list.
    let sought: SearchedText?

    init(types: DeclaredTypes, dates: DateExpression.Context, sought: SearchedText?) {
        (self.types, additional) = (types.types, types.additional)
        horizon = Horizon(dates)
        words = DateWords(dates)
        self.sought = sought
    }
}

extension ListScreen.State.Row {
    init(_ listed: ListedRecord, group: ListScreen.State.Group?, _ context: RowContext) {
        let record = listed.record
        let type = context.types[record.key.collection]
        let due = type.deadline.flatMap { record.fields[FieldKey<DateValue>($0.name)] }
        let isClosed = type.isClosed(record.fields)
        self.init(
            number: listed.number, id: record.key.id, prefix: listed.prefix, collection: record.key.collection,
            title: record.titleOrID, values: Self.values(of: record, type, context),
            isOverdue: due.map { context.horizon.isOverdue($0) && !isClosed } ?? false,
            isDone: type.closing.map { _ in isClosed },
            mark: Self.mark(of: record, type),
            hasMore: record.fields[type.body.name]?.string != nil || record[.annotations]?.isEmpty == false,
            isUnsent: listed.isUnsent, hasConflict: listed.hasConflict, depth: listed.depth,
            urgency: listed.urgency, progress: listed.progress, group: group,
            match: context.sought.map { .init(record, type, $0) },
            typed: TypedFields(
                record, in: context.types.catalog(for: record.key.collection), urgency: listed.urgency))
        for field in context.types.columns {
            guard case .custom = field.kind, let value = record.fields[field.name] else { continue }
            canonicalTexts[field.name] = field.canonicalText(of: value)
        }
        isPinned = type.catalog.fields.contains { $0.role == .pinned && record.fields[$0.name]?.bool == true }
        let catalog = context.types.catalog(for: record.key.collection)
        for column in context.additional {
            guard let field = catalog[column.name] else { continue }
            additional[field.name] = Self.value(of: field, in: record, context.words)
        }
    }

    private static func mark(of record: Record, _ type: RecordType) -> String? {
        guard let closing = type.closing else { return type.noun }
        if let mark = closing.mark(of: closing.state(of: record.fields)) { return mark }
        return type.catalog.fields.first { $0.role == .started }.flatMap { record.fields[$0.name] }.map { _ in "started"
        }
    }

    /// Returns the value of a field without a column; nil: none.
    private static func value(
        of field: Field, in record: Record, _ words: DateWords
    ) -> ListScreen.State.Value? {
        if case .annotations = field.kind {
            let annotations = record.fields[FieldKey<[Annotation]>(field.name)] ?? []
            return annotations.isEmpty ? nil : .texts(annotations.map(\.description))
        }
        guard let content = record.fields[field.name].flatMap(field.content) else { return nil }
        let value = ListScreen.State.Value(content, words)
        // References are full ids, which a list has no room for.
        let short = { (id: String) in String(ShortID.whole(id).prefix(ShortID.maximumLengthInList)) }
        return switch value {
        case .text(let id) where field.kind.isReference: .text(short(id))
        case .texts(let ids) where field.kind.isReference: .texts(ids.map(short))
        case .text, .date, .number, .flag, .texts: value
        }
    }

    private static func values(
        of record: Record, _ type: RecordType, _ context: RowContext
    ) -> [String: ListScreen.State.Value] {
        let catalog = context.types.catalog(for: record.key.collection)
        var values: [String: ListScreen.State.Value] = [:]
        for column in context.types.columns where column.column?.order != 0 {
            guard let field = catalog[column.name] else { continue }
            if let content = record.fields[field.name].flatMap(field.content) {
                values[field.name] = .init(content, context.words)
            } else if case .words = field.kind, type.catalog[field.name] != nil {
                // A set that the type declares is empty, not absent.
                values[field.name] = .texts([])
            }
        }
        if let closing = type.closing {
            // The state may follow from the absence of the field, so it is always written.
            values[closing.field] = .text(closing.state(of: record.fields))
        }
        return values
    }
}

extension ListScreen.State.Value {
    fileprivate init(_ content: FieldContent, _ words: DateWords) {
        switch content {
        case .text(let text): self = .text(text)
        case .date(let date): self = .date(date, words: words.short(for: date))
        case .number(let number): self = .number(number)
        case .flag(let flag): self = .flag(flag)
        case .texts(let texts): self = .texts(texts)
        }
    }
}

extension ListScreen.State.Match {
    fileprivate init(_ record: Record, _ type: RecordType, _ sought: SearchedText) {
        let body = record.fields[type.body.name]?.string
        let texts = [body].compactMap(\.self) + (record[.annotations] ?? []).map(\.description)
        self.init(
            title: sought.pieces(of: record.titleOrID), excerpt: sought.excerpt(of: texts.joined(separator: "\n")))
    }
}

extension ListScreen.State.Group {
    /// Returns the heading of the group.
    ///
    /// - Parameter types: The types of the records in the list.
    public func title(_ types: RecordTypes) -> String {
        switch self {
        case .overdue: "Overdue"
        case .today: "Today"
        case .tomorrow: "Tomorrow"
        case .thisWeek: "This week"
        case .later: "Later"
        case .noDate: "No date"
        case .done: "Done"
        case .new: "New since"
        default: types[rawValue].pluralTitle
        }
    }

    /// The group of a record, in a list that is in its default order.
    init(_ record: Record, of type: RecordType, _ horizon: Horizon) {
        switch RecordSection(record.fields, of: type, horizon) {
        case .closed: self = .done
        case .due(let day): self.init(day)
        case .noDate: self = .noDate
        case .collection(let collection): self.init(rawValue: collection)
        }
    }

    private init(_ day: Horizon.Day) {
        switch day {
        case .past: self = .overdue
        case .today: self = .today
        case .tomorrow: self = .tomorrow
        case .thisWeek: self = .thisWeek
        case .later: self = .later
        }
    }
}
