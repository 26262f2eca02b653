internal import ControllerKit
internal import Foundation
internal import Notebook
public import Records
public import struct Records.Record

/// The record types of a program, as states have them for views in the same process.
public struct DeclaredTypes: Sendable, Equatable {
    /// The types.
    public let types: RecordTypes

    /// Wraps types.
    public init(_ types: RecordTypes) { self.types = types }

    /// The types are the same for as long as a program runs.
    public static func == (left: DeclaredTypes, right: DeclaredTypes) -> Bool {
        left.types.collections == right.types.collections
    }

    /// The fields that rows show, in the order of their columns; the title is one of them.
    public var columns: [Field] { types.columns }
}

extension ListScreen.State {
    /// A record in a list. In JSON each value is a member by the name of its field; of a moment there is `NAMEWords`, too. A field
    /// with the name of another member is called `field.NAME`. Times are RFC 3339 in UTC.
    public struct Row: Equatable, Sendable {
        /// Its number in this list, which names it until the next list on this terminal.
        public var number: Int
        /// Its id, whole.
        public var id: String
        /// The shortest beginning of the id that names it.
        public var prefix: String
        /// Its collection: `tasks`, `notes`.
        public var collection: String
        /// What it is about; a task's description.
        public var title: String
        /// What its list shows besides, by the names of the fields.
        public var values: [String: Value]
        /// Whether its deadline is past, and it isn't done. A day is past when it is over.
        public var isOverdue: Bool
        /// Whether it is done; nil where records of its type can't be.
        public var isDone: Bool?
        /// What a list says of its state: `done`, what another program wrote, or of a type that can't be done its name (`note`);
        /// nil: it is to be done.
        public var mark: String?
        /// Whether it has a body or remarks besides the title.
        public var hasMore: Bool
        /// Whether it has edits that the server hasn't acknowledged.
        public var isUnsent: Bool
        /// The group that it belongs to, with the rows before and after it of the same; nil where the list isn't grouped, as
        /// after a search or with a `sort:` of one's own.
        public var group: Group?
        /// The matches of a search; nil in a list.
        public var match: Match?
    }

    /// What a row shows of a field.
    public enum Value: Equatable, Sendable {
        /// A text; of a choice its value.
        case text(String)
        /// A moment, and how a person says it in their time zone: `tomorrow 15:00`, `Fri 27 Nov`.
        case moment(String, words: String)
        /// A number.
        case number(Double)
        /// True or false.
        case flag(Bool)
        /// A set of texts.
        case texts([String])
    }

    /// A group of a list: what is due in some days, what is done, or the records of a type that are never due. A record stays in
    /// its group until the next list.
    public struct Group: RawRepresentable, Hashable, Codable, Sendable {
        /// Its name for programs; of records that are never due, their collection.
        public let rawValue: String

        /// A group of this name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Due before today.
        public static let overdue = Self(rawValue: "overdue")
        /// Due today, past or not.
        public static let today = Self(rawValue: "today")
        /// Due the day after.
        public static let tomorrow = Self(rawValue: "tomorrow")
        /// After tomorrow, until the end of the week.
        public static let thisWeek = Self(rawValue: "this-week")
        /// Due after this week.
        public static let later = Self(rawValue: "later")
        /// What might be due and has no date.
        public static let noDate = Self(rawValue: "no-date")
        /// Notes, which are never due.
        public static let notes = Self(rawValue: NoteRecord.type.collection)
        /// What isn't to be done any more.
        public static let done = Self(rawValue: "done")
        /// What came since the list was made.
        public static let new = Self(rawValue: "new")
    }
}

// MARK: - From records

/// What the rows of a list depend on besides their records.
struct RowContext: Sendable {
    let types: RecordTypes
    let horizon: Horizon
    let words: DateWords
    /// The words that were searched for; nil for a list.
    let sought: SearchedText?

    init(types: RecordTypes, dates: DateExpression.Context, sought: SearchedText?) {
        self.types = types
        horizon = Horizon(dates)
        words = DateWords(dates)
        self.sought = sought
    }
}

extension ListScreen.State.Row {
    init(_ listed: ListedRecord, group: ListScreen.State.Group?, _ context: RowContext) {
        let record = listed.record
        let type = context.types[record.key.collection]
        let due = type.deadline.flatMap { record.fields[FieldKey<Timestamp>($0.name)] }
        let isClosed = type.isClosed(record.fields)
        self.init(
            number: listed.number, id: record.key.id, prefix: listed.prefix, collection: record.key.collection,
            title: record.titleOrID, values: Self.values(of: record, type, context),
            isOverdue: due.map { context.horizon.isOverdue($0) && !isClosed } ?? false,
            isDone: type.completion.map { _ in isClosed },
            mark: type.completion.map { $0.mark(of: $0.state(of: record.fields)) } ?? type.noun,
            hasMore: record.fields[type.body.name]?.string != nil || record[.annotations]?.isEmpty == false,
            isUnsent: listed.isUnsent, group: group, match: context.sought.map { .init(record, type, $0) })
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
                values[field.name] = .texts([])
            }
        }
        if let completion = type.completion {
            values[completion.field] = .text(completion.state(of: record.fields))
        }
        return values
    }
}

extension ListScreen.State.Value {
    fileprivate init(_ content: FieldContent, _ words: DateWords) {
        switch content {
        case .text(let text): self = .text(text)
        case .moment(let moment): self = .moment(moment.description, words: words.words(for: moment))
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
    /// The heading of the group.
    public var title: String {
        switch self {
        case .thisWeek: "This week"
        case .noDate: "No date"
        case .new: "New since"
        default: rawValue.prefix(1).uppercased() + rawValue.dropFirst()
        }
    }

    /// The group of a record, in a list that is in its usual order.
    init(_ record: Record, of type: RecordType, _ horizon: Horizon) {
        if type.isClosed(record.fields) {
            self = .done
        } else if let deadline = type.deadline {
            self = record.fields[FieldKey<Timestamp>(deadline.name)].map { Self(horizon.day(of: $0)) } ?? .noDate
        } else {
            self.init(rawValue: type.collection)
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

extension Timestamp {
    /// `2026-11-27`, or with its time if that is not midnight, in a time zone.
    func localText(in timeZone: TimeZone) -> String {
        let local = Timestamp(seconds: seconds + Int64(timeZone.secondsFromGMT(for: date))).description
        let time = local.dropFirst(11).prefix(5)
        return local.prefix(10) + (time == "00:00" ? "" : " " + time)
    }
}

// MARK: - JSON

extension ListScreen.State.Row: Codable {
    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }

        /// The members that are no values of fields.
        static let own: Set = [
            "number", "id", "prefix", "collection", "title", "isOverdue", "isDone", "mark", "hasMore", "isUnsent",
            "group",
            "match",
        ]

        /// The member with the value of a field.
        static func value(of field: String) -> Key { Key(own.contains(field) ? "field." + field : field) }
        /// The member with the words for the moment in a field.
        static func words(of field: String) -> Key { Key(value(of: field).stringValue + "Words") }

        /// The field whose value the member is.
        var field: String { stringValue.hasPrefix("field.") ? String(stringValue.dropFirst(6)) : stringValue }
    }

    public func encode(to encoder: any Encoder) throws {
        var row = encoder.container(keyedBy: Key.self)
        try row.encode(number, forKey: Key("number"))
        try row.encode(id, forKey: Key("id"))
        try row.encode(prefix, forKey: Key("prefix"))
        try row.encode(collection, forKey: Key("collection"))
        try row.encode(title, forKey: Key("title"))
        for (field, value) in values.sorted(by: { $0.key < $1.key }) {
            switch value {
            case .text(let text): try row.encode(text, forKey: .value(of: field))
            case .number(let number): try row.encode(number, forKey: .value(of: field))
            case .flag(let flag): try row.encode(flag, forKey: .value(of: field))
            case .texts(let texts): try row.encode(texts, forKey: .value(of: field))
            case .moment(let moment, let words):
                try row.encode(moment, forKey: .value(of: field))
                try row.encode(words, forKey: .words(of: field))
            }
        }
        try row.encode(isOverdue, forKey: Key("isOverdue"))
        try row.encodeIfPresent(isDone, forKey: Key("isDone"))
        try row.encodeIfPresent(mark, forKey: Key("mark"))
        try row.encode(hasMore, forKey: Key("hasMore"))
        try row.encode(isUnsent, forKey: Key("isUnsent"))
        try row.encodeIfPresent(group, forKey: Key("group"))
        try row.encodeIfPresent(match, forKey: Key("match"))
    }

    public init(from decoder: any Decoder) throws {
        let row = try decoder.container(keyedBy: Key.self)
        number = try row.decode(Int.self, forKey: Key("number"))
        id = try row.decode(String.self, forKey: Key("id"))
        prefix = try row.decode(String.self, forKey: Key("prefix"))
        collection = try row.decode(String.self, forKey: Key("collection"))
        title = try row.decode(String.self, forKey: Key("title"))
        isOverdue = try row.decode(Bool.self, forKey: Key("isOverdue"))
        isDone = try row.decodeIfPresent(Bool.self, forKey: Key("isDone"))
        mark = try row.decodeIfPresent(String.self, forKey: Key("mark"))
        hasMore = try row.decode(Bool.self, forKey: Key("hasMore"))
        isUnsent = try row.decode(Bool.self, forKey: Key("isUnsent"))
        group = try row.decodeIfPresent(ListScreen.State.Group.self, forKey: Key("group"))
        match = try row.decodeIfPresent(ListScreen.State.Match.self, forKey: Key("match"))
        values = [:]
        // The schema of a state follows what is asked for here: the fields that are declared in this program, by their kinds.
        for field in RecordTypes.declared(in: decoder).columns where field.column?.order != 0 {
            values[field.name] = try Self.value(of: field, in: row)
        }
        for key in row.allKeys where !Key.own.contains(key.stringValue) && values[key.field] == nil {
            values[key.field] = Self.value(of: key, in: row)
        }
    }

    private static func value(
        of field: Field, in row: KeyedDecodingContainer<Key>
    ) throws -> ListScreen.State.Value? {
        let key = Key.value(of: field.name)
        switch field.kind {
        case .moment:
            let words = try row.decodeIfPresent(String.self, forKey: .words(of: field.name))
            return try row.decodeIfPresent(String.self, forKey: key).map { .moment($0, words: words ?? $0) }
        case .words: return try row.decodeIfPresent([String].self, forKey: key).map { .texts($0) }
        case .number: return try row.decodeIfPresent(Double.self, forKey: key).map { .number($0) }
        case .flag: return try row.decodeIfPresent(Bool.self, forKey: key).map { .flag($0) }
        case .title, .text, .word, .path, .choice, .custom, .any, .remarks:
            return try row.decodeIfPresent(String.self, forKey: key).map { .text($0) }
        }
    }

    /// The value of a field that another program declares; nil for the words of a moment.
    private static func value(of key: Key, in row: KeyedDecodingContainer<Key>) -> ListScreen.State.Value? {
        let isWords = key.stringValue.hasSuffix("Words") && row.contains(Key(String(key.stringValue.dropLast(5))))
        // A value of another shape is none that a row writes.
        guard !isWords, let value = try? row.decode(ArgumentValue.self, forKey: key) else { return nil }
        switch value {
        case .text(let text):
            let words = try? row.decode(String.self, forKey: .words(of: key.field))
            return words.map { .moment(text, words: $0) } ?? .text(text)
        case .number(let number): return .number(number)
        case .integer(let number): return .number(Double(number))
        case .flag(let flag): return .flag(flag)
        case .list(let texts): return .texts(texts)
        }
    }
}

extension RecordTypes {
    private static var infoKey: CodingUserInfoKey? { CodingUserInfoKey(rawValue: "recordTypes") }

    /// Lets the decoding of a row, and so its schema, know the fields of these types.
    var schemaInfo: [CodingUserInfoKey: any Sendable] { Self.infoKey.map { [$0: self] } ?? [:] }

    /// The types that a decoder was given; Satchel's own without any.
    fileprivate static func declared(in decoder: any Decoder) -> RecordTypes {
        infoKey.flatMap { decoder.userInfo[$0] as? RecordTypes } ?? .standard
    }
}
