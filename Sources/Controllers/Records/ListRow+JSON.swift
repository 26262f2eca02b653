internal import ControllerKit
internal import Foundation
internal import Notebook
internal import Records

// The JSON of a row: its members depend on the fields that the program declares.
extension ListScreen.State.Row: Codable {
    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }

        /// The members that aren't values of fields.
        static let own: Set = [
            "number", "id", "prefix", "collection", "title", "isOverdue", "isDone", "mark", "hasMore", "isUnsent",
            "hasConflict", "isPinned", "depth", "urgency", "progress", "group", "match", "values",
        ]

        /// The member with the value of a field.
        static func value(of field: String) -> Key { Key(own.contains(field) ? "field." + field : field) }
        /// The member with the words of the time in a field.
        static func words(of field: String) -> Key { Key(value(of: field).stringValue + "Words") }
        /// The member with the time zone of the time in a field.
        static func zone(of field: String) -> Key { Key(value(of: field).stringValue + "Zone") }
        /// The member with the canonical text of a short form.
        static func canonical(of field: String) -> Key { Key(value(of: field).stringValue + "Canonical") }

        /// The field whose value the member is.
        var field: String { stringValue.hasPrefix("field.") ? String(stringValue.dropFirst(6)) : stringValue }
    }

    public func encode(to encoder: any Encoder) throws {
        // By hand, since the members depend on the declared fields.
        var row = encoder.container(keyedBy: Key.self)
        try row.encode(number, forKey: Key("number"))
        try row.encode(id, forKey: Key("id"))
        try row.encode(prefix, forKey: Key("prefix"))
        try row.encode(collection, forKey: Key("collection"))
        try row.encode(title, forKey: Key("title"))
        // Sorted, so that equal rows have equal JSON: the order of a dictionary differs in each process.
        for (field, value) in values.sorted(by: { $0.key < $1.key }) {
            switch value {
            case .text(let text):
                try row.encode(text, forKey: .value(of: field))
                try row.encodeIfPresent(canonicalTexts[field], forKey: .canonical(of: field))
            case .number(let number): try row.encode(number, forKey: .value(of: field))
            case .flag(let flag): try row.encode(flag, forKey: .value(of: field))
            case .texts(let texts): try row.encode(texts, forKey: .value(of: field))
            case .date(let date, let words):
                try row.encode(date.withoutZone.description, forKey: .value(of: field))
                try row.encodeIfPresent(date.zone?.text, forKey: .zone(of: field))
                try row.encode(words, forKey: .words(of: field))
            }
        }
        try row.encode(isOverdue, forKey: Key("isOverdue"))
        try row.encodeIfPresent(isDone, forKey: Key("isDone"))
        try row.encodeIfPresent(mark, forKey: Key("mark"))
        try row.encode(hasMore, forKey: Key("hasMore"))
        try row.encode(isUnsent, forKey: Key("isUnsent"))
        try row.encode(hasConflict, forKey: Key("hasConflict"))
        if isPinned { try row.encode(isPinned, forKey: Key("isPinned")) }
        try row.encode(depth, forKey: Key("depth"))
        try row.encodeIfPresent(urgency, forKey: Key("urgency"))
        try row.encodeIfPresent(progress, forKey: Key("progress"))
        try row.encodeIfPresent(group, forKey: Key("group"))
        try row.encodeIfPresent(match, forKey: Key("match"))
        try row.encode(typed, forKey: Key("values"))
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
        hasConflict = try row.decode(Bool.self, forKey: Key("hasConflict"))
        isPinned = try row.decodeIfPresent(Bool.self, forKey: Key("isPinned")) ?? false
        depth = try row.decode(Int.self, forKey: Key("depth"))
        urgency = try row.decodeIfPresent(Double.self, forKey: Key("urgency"))
        progress = try row.decodeIfPresent(RecordLinks.Progress.self, forKey: Key("progress"))
        group = try row.decodeIfPresent(ListScreen.State.Group.self, forKey: Key("group"))
        match = try row.decodeIfPresent(ListScreen.State.Match.self, forKey: Key("match"))
        typed = try row.decode(TypedFields.self, forKey: Key("values"))
        values = [:]
        // The schema of a state is derived from the members that are decoded here: the declared fields, by their kinds.
        for field in RecordTypes.declared(in: decoder).columns where field.column?.order != 0 {
            values[field.name] = try Self.value(of: field, in: row)
            if case .custom = field.kind {
                canonicalTexts[field.name] = try row.decodeIfPresent(String.self, forKey: .canonical(of: field.name))
            }
        }
        // The other members are fields that another program declares.
        for key in row.allKeys where !Key.own.contains(key.stringValue) && values[key.field] == nil {
            values[key.field] = Self.value(of: key, in: row)
        }
    }

    private static func value(
        of field: Field, in row: KeyedDecodingContainer<Key>
    ) throws -> ListScreen.State.Value? {
        let key = Key.value(of: field.name)
        switch field.kind {
        case .moment, .date:
            let zone = try row.decodeIfPresent(String.self, forKey: .zone(of: field.name))
            let words = try row.decodeIfPresent(String.self, forKey: .words(of: field.name))
            return try row.decodeIfPresent(String.self, forKey: key).map { Self.date($0, zone: zone, words: words) }
        case .words, .references: return try row.decodeIfPresent([String].self, forKey: key).map { .texts($0) }
        case .number: return try row.decodeIfPresent(Double.self, forKey: key).map { .number($0) }
        case .flag: return try row.decodeIfPresent(Bool.self, forKey: key).map { .flag($0) }
        case .title, .text, .word, .path, .choice, .reference, .custom, .any, .annotations:
            return try row.decodeIfPresent(String.self, forKey: key).map { .text($0) }
        }
    }

    /// A day or a time; any other text stays a text.
    private static func date(_ text: String, zone: String?, words: String?) -> ListScreen.State.Value {
        DateValue(DateValue.text(text, zone: zone)).map { .date($0, words: words ?? text) } ?? .text(text)
    }

    /// The value of a field that another program declares; nil for the second member of a field.
    private static func value(of key: Key, in row: KeyedDecodingContainer<Key>) -> ListScreen.State.Value? {
        let isSecond = ["Words", "Zone", "Canonical"].contains { suffix in
            key.stringValue.hasSuffix(suffix) && row.contains(Key(String(key.stringValue.dropLast(suffix.count))))
        }
        // A row writes no value of another shape, so an error means that the member isn't one of its fields.
        guard !isSecond, let value = try? row.decode(ArgumentValue.self, forKey: key) else { return nil }
        switch value {
        case .text(let text):
            // An error means that the member has no words: it is a text and not a time.
            let words = try? row.decode(String.self, forKey: .words(of: key.field))
            // An error means that the time has no time zone.
            let zone = try? row.decode(String.self, forKey: .zone(of: key.field))
            return words.map { date(text, zone: zone, words: $0) } ?? .text(text)
        case .number(let number): return .number(number)
        case .integer(let number): return .number(Double(number))
        case .flag(let flag): return .flag(flag)
        case .list(let texts): return .texts(texts)
        }
    }
}

extension RecordTypes {
    private static var infoKey: CodingUserInfoKey? { CodingUserInfoKey(rawValue: "recordTypes") }

    /// The decoder's `userInfo` for rows of these types, and so for the schema of rows.
    var schemaInfo: [CodingUserInfoKey: any Sendable] { Self.infoKey.map { [$0: self] } ?? [:] }

    /// The types in a decoder's `userInfo`; Satchel's own if there are none.
    fileprivate static func declared(in decoder: any Decoder) -> RecordTypes {
        infoKey.flatMap { decoder.userInfo[$0] as? RecordTypes } ?? .standard
    }
}
