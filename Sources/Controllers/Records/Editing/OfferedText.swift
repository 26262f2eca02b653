internal import Foundation
internal import Interchange
internal import Records

/// A record as the text that a person is offered to edit: what is edited most comes first, also where it is empty, then the
/// other fields, then a word on how it is done. A pure function, so that the same record gives the same text.
struct OfferedText: Sendable {
    /// Which record it is.
    let key: RecordKey
    /// The fields that it was made of, also those that it doesn't show.
    let fields: JSONObject
    /// The text.
    let text: String

    /// Fields that a text never shows, so that an edit leaves them alone: the body stands below, remarks have times of
    /// their own, and what imports and a series of repeats remember is nobody's business.
    static let hidden = TaskRecord.RepeatField.inner.union(["body", "annotations", Record.importMarkField])

    /// - Parameters:
    ///   - calendar: in which moments are written.
    ///   - dates: how they are read again.
    init(_ key: RecordKey, _ fields: JSONObject, calendar: Calendar, dates: DateExpression.Context) {
        (self.key, self.fields) = (key, fields)
        let writer = FieldWriter(calendar: calendar, dates: dates)
        let leading = Self.leading(key.collection)
        let others = fields.sortedNames.filter { !leading.contains($0) && !Self.hidden.contains($0) }
        let lines = (leading + others).map { writer.line($0, fields[$0]) }
        text = RecordText.text(
            of: lines + Self.help(key.collection).map { .comment($0) }
                + [.facts(id: key.id, fingerprint: RecordText.fingerprint(of: fields))],
            body: fields["body"]?.string)
    }

    /// What is written first.
    private static func leading(_ collection: String) -> [String] {
        switch collection {
        case TaskRecord.type.collection: ["title", "tags", "project", "due", "repeat", "until", "priority", "status"]
        case NoteRecord.type.collection: ["title", "tags"]
        default: ["title"]
        }
    }

    private static func help(_ collection: String) -> [String] {
        let dates = [
            "Dates: tomorrow, friday 15:00, +3d, eow, 2026-11-21. Priority: H, M or L. Status: pending or completed.",
            "Repeat: daily, weekdays, weekly, monthly, yearly, every 2 weeks; until: the last day on which it comes again.",
        ]
        return (collection == TaskRecord.type.collection ? dates : []) + [
            "Without a value a field is removed; field.NAME: VALUE is one of your own. Below the second --- is the body.",
            "The last two lines tell which record this is, and what it was like: leave them as they are.",
        ]
    }
}

/// Writes fields as people type them, where that can be read again as it was.
private struct FieldWriter {
    let calendar: Calendar
    let dates: DateExpression.Context

    func line(_ name: String, _ value: JSONValue?) -> RecordText.Line {
        guard let value else { return .field(name, nil) }
        if let tags = TagLine.text(of: value), name == "tags" { return .typed(name, tags) }
        if let typed = value.string.flatMap({ Timestamp($0) }).flatMap({ moment(name, $0, value) }) {
            return .typed(name, typed)
        }
        // Some begin with a digit, which front matter has in quotes.
        if name == TaskRecord.RepeatField.rule, let rule = value.string, Repeat(rule)?.description == rule {
            return .typed(name, rule)
        }
        return .field(name, value)
    }

    /// A moment of the person's calendar, as short as it can be; nil where it wouldn't be the same field again.
    private func moment(_ name: String, _ moment: Timestamp, _ value: JSONValue) -> String? {
        let parts = calendar.dateComponents(
            [.year, .month, .day, .hour, .minute, .second], from: Date(timeIntervalSince1970: Double(moment.seconds)))
        let day = [(parts.year, 4), (parts.month, 2), (parts.day, 2)].map(Self.digits).joined(separator: "-")
        let clock = [(parts.hour, 2), (parts.minute, 2), (parts.second, 2)].map(Self.digits)
        let candidates = [day, "\(day) \(clock[0]):\(clock[1])", "\(day) " + clock.joined(separator: ":")]
        return candidates.first { text in
            (try? Edit(["\(name):\(text)"], dates: dates))?.fields == [name: value]
        }
    }

    private static func digits(_ number: Int?, count: Int) -> String {
        let digits = String(number ?? 0)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }
}

/// Tags in one line: `shop food`.
enum TagLine {
    /// Tags between spaces; nil where that wouldn't be read as the same.
    static func text(of value: JSONValue) -> String? {
        guard let elements = value.array else { return nil }
        let line = elements.compactMap(\.string).joined(separator: " ")
        return RecordText.isPlain(line) && self.value(of: line) == value ? line : nil
    }

    /// The tags of a line, between spaces or commas, each once.
    static func value(of line: String) -> JSONValue {
        var tags: [JSONValue] = []
        for word in line.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            let tag = JSONValue.string(word.hasPrefix("+") ? String(word.dropFirst()) : String(word))
            if !tags.contains(tag) { tags.append(tag) }
        }
        return .array(tags)
    }
}
