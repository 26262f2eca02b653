internal import Interchange
public import Records

/// A record as a text to be edited: first the fields that are edited most, also empty ones, then the other fields, then
/// a hint. The same record always gives the same text.
public struct EditableText: Sendable {
    /// The key of the record.
    public let key: RecordKey
    /// The fields of the record, also those that the text doesn't show.
    let fields: JSONObject
    /// The text.
    public let text: String

    /// Creates the text of a record.
    ///
    /// - Parameters:
    ///   - dates: The calendar in which times are written and parsed.
    ///   - types: The record types, which declare the fields that come first and those that aren't shown.
    init(
        _ key: RecordKey, _ fields: JSONObject, dates: DateExpression.Context, types: RecordTypes
    ) {
        (self.key, self.fields) = (key, fields)
        let catalog = types.catalog(for: key.collection)
        let writer = FieldWriter(dates: dates, catalog: catalog)
        let type = types[key.collection]
        let form = type.form
        let leading = form.map(\.name)
        let others = fields.sortedNames.filter { !leading.contains($0) && !Self.isHidden($0, in: catalog) }
        let lines = (leading + others).map { writer.line($0, fields[$0]) }
        text = RecordText.text(
            of: lines + Self.help(form).map { .comment($0) }
                + [.facts(id: key.id, fingerprint: RecordText.fingerprint(of: fields))],
            body: fields[type.body.name]?.string)
    }

    /// Returns whether texts don't show a field, so that edits leave it unchanged. The body is below the fields,
    /// annotations have times of their own, and internal fields aren't edited.
    public static func isHidden(_ name: String, in catalog: FieldCatalog) -> Bool {
        switch catalog[name]?.place {
        case .hidden, .apart: true
        case .form, .details, nil: false
        }
    }

    /// Returns hints for the fields that come first, then for all fields.
    private static func help(_ form: [Field]) -> [String] {
        var phrases: [String] = []
        if form.contains(where: { $0.kind.isDate }) {
            phrases.append("Dates: tomorrow, friday 15:00, +3d, eow, 24 dec.")
        }
        for field in form {
            guard let choices = field.kind.offeredChoices, let last = choices.last else { continue }
            let others = choices.dropLast().joined(separator: ", ")
            phrases.append("\(field.label): \(others.isEmpty ? "" : others + " or ")\(last).")
        }
        let hints = form.compactMap { field in field.help.map { "\(field.name): \($0)" } }.joined(separator: "; ")
        let lines = [phrases.joined(separator: " "), hints.prefix(1).uppercased() + hints.dropFirst() + "."]
        return lines.filter { $0.count > 1 } + [
            "A field without a value is removed; field.NAME: VALUE is a field of your own. The body is below the second ---.",
            "The last two lines identify the record and its state. Don't change them.",
        ]
    }
}

/// Writes fields as users type them, if the same value can be parsed from that.
private struct FieldWriter {
    let dates: DateExpression.Context
    let catalog: FieldCatalog

    func line(_ name: String, _ value: JSONValue?) -> RecordText.Line {
        guard let value else { return .field(name, nil) }
        guard let field = catalog[name] else { return .field(name, value) }
        switch field.kind {
        case .words: if let words = TagLine.text(of: value) { return .typed(name, words) }
        // Typed, not as a field: some begin with a digit, which front matter would put in quotes.
        case .moment, .date, .references, .custom: if let text = field.typed(value, dates) { return .typed(name, text) }
        case .title, .text, .word, .path, .choice, .number, .flag, .annotations, .reference, .any: break
        }
        return .field(name, value)
    }
}

/// Tags in one line: `shop food`.
enum TagLine {
    /// Returns tags separated by spaces; nil: that would be parsed as another value.
    static func text(of value: JSONValue) -> String? {
        guard let elements = value.array else { return nil }
        let line = elements.compactMap(\.string).joined(separator: " ")
        return RecordText.isPlain(line) && self.value(of: line) == value ? line : nil
    }

    /// Returns the tags of a line, separated by spaces or commas, each once.
    static func value(of line: String) -> JSONValue {
        var tags: [JSONValue] = []
        for word in line.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            let tag = JSONValue.string(word.hasPrefix("+") ? String(word.dropFirst()) : String(word))
            if !tags.contains(tag) { tags.append(tag) }
        }
        return .array(tags)
    }
}
