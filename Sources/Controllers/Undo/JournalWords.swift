internal import Notebook
internal import Records

/// What a command changed in a record, in words: `due tomorrow → Fri 27 Nov`, `+shop`, `body changed`.
struct JournalWords {
    /// The maximum number of characters of a value.
    static let maximumValueLength = 60

    private let dates: DateWords
    private let types: RecordTypes

    init(_ notebook: Notebook) { (dates, types) = (DateWords(notebook.dates), notebook.types) }

    /// Returns the change of a field; nil: the command's name says it, as with `done` and `start`.
    func words(for change: JournalCommand.ChangedField) -> String? {
        guard let field = types.catalog(for: change.collection)[change.name] else { return nil }
        let (before, after) = (change.before, change.after)
        // These times follow from the command.
        if field.role == .created || field.role == .closed || field.role == .started { return nil }
        if let parts = texts(before, after) { return parts.isEmpty ? nil : parts.joined(separator: " ") }
        let (old, new) = (before.flatMap { text($0, field) }, after.flatMap { text($0, field) })
        let label = field.label.lowercased()
        switch (before, after) {
        case (nil, nil): return nil
        case (nil, _?): return new.map { "\(label) \($0)" } ?? "\(label) added"
        case (_?, nil): return "\(label) removed"
        case (_?, _?):
            guard let old, let new else { return "\(label) changed" }
            return "\(label) \(old) → \(new)"
        }
    }

    /// Returns the texts that were added to a set and removed from it; nil: the values aren't sets of texts.
    private func texts(_ before: JSONValue?, _ after: JSONValue?) -> [String]? {
        guard let old = set(before), let new = set(after), before?.array != nil || after?.array != nil else {
            return nil
        }
        return new.filter { !old.contains($0) }.map { "+" + $0 } + old.filter { !new.contains($0) }.map { "-" + $0 }
    }

    private func set(_ value: JSONValue?) -> [String]? {
        guard let value else { return [] }
        let texts = value.array?.compactMap(\.string)
        return texts?.count == value.array?.count ? texts : nil
    }

    /// Returns a value in words; nil: it is too long for a line, or has a form of its own.
    private func text(_ value: JSONValue, _ field: Field) -> String? {
        if field.kind.isDate, let text = value.string, let date = DateValue(text) { return dates.words(for: date) }
        let text = value.displayText
        let isShort = text.count <= Self.maximumValueLength && !text.contains(where: \.isNewline)
        return value.array == nil && value.object == nil && isShort ? text : nil
    }
}
