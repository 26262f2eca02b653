internal import Foundation

/// What the words behind `add`, `note` and `edit` change in a record.
///
/// - `+shop`, `-shop`: add or remove a tag; `tags:a,b` replaces them all
/// - `project:core`, `priority:H`, `body:text`, `title:text`, `status:pending`, `field.estimate:3`; without a value: removes it
/// - `repeat:weekly`: how often a task comes again (`Repeat`), in the time zone where it is typed
/// - `due:tomorrow`, `wait:+3d`, `scheduled:`, `until:`: dates, as `DateExpression` reads them
/// - `--`: all further words belong to the title
/// - all other words make the title: also one that ends with its colon (`Re:`), one whose colon is followed by anything
///   other than a letter, a digit or one of `+-@#_` (`http://x.org`, `std::map`, `C:\\dir`) and an address such as
///   `mailto:a@b.org`
///
/// Any other `name:value` is refused, so that a typing error or a field name of another program doesn't end up in a
/// title.
public struct Edit: Sendable, Equatable {
    /// Fields that are replaced whole, user-defined fields as texts; `null` removes a field.
    public private(set) var fields = JSONObject()
    /// The words before `--` that make the title.
    public private(set) var titleWords: [String] = []
    /// The typed texts of user-defined fields, by name: the kind of the stored value decides how each is parsed.
    private var typed: [String: String] = [:]
    /// Tags that are added to what there is.
    public private(set) var addedTags: [String] = []
    /// Tags that are removed from what there is.
    public private(set) var removedTags: [String] = []

    /// Reads an edit.
    ///
    /// - Parameters:
    ///   - words: the typed words, quotes removed.
    ///   - dates: when and where dates are read.
    public init(_ words: [String], dates: DateExpression.Context) throws(InputError) {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        for word in words[..<end] where try !take(word, dates) { titleWords.append(word) }
        try Self.checkTornValues(words[..<end])
        let title = titleWords + words[end...].dropFirst()
        if !title.isEmpty, fields["title"] != nil { throw .titleTwice }
        if !title.isEmpty { fields["title"] = .string(title.joined(separator: " ")) }
        do { try FieldLimits.check(fields) } catch { throw .field(error) }
        do { try FieldLimits.check(["tags": .array(addedTags.map(JSONValue.string))]) } catch { throw .field(error) }
    }

    /// Whether it changes nothing at all.
    public var isEmpty: Bool { fields.isEmpty && addedTags.isEmpty && removedTags.isEmpty }

    /// The smallest patch that applies the edit to a record with these fields; `null` removes a field. A user-defined
    /// field keeps the kind of value that it holds.
    ///
    /// - Throws: `InputError.wrongKind` if the typed text can't be parsed as that kind.
    public func patch(for current: JSONObject) throws(InputError) -> JSONObject {
        var edited = current.applying(fields)
        for (name, text) in typed.sorted(by: { $0.key < $1.key }) {
            edited[name] = try Self.value(of: name, text, like: current[name])
        }
        if !addedTags.isEmpty || !removedTags.isEmpty {
            // Elements of another shape stay, like all that isn't understood.
            let elements = edited["tags"]?.array ?? []
            let kept = elements.filter { element in !removedTags.contains { element == .string($0) } }
            let added = addedTags.map(JSONValue.string).filter { !kept.contains($0) }
            edited["tags"] = kept.isEmpty && added.isEmpty ? nil : .array(kept + added)
        }
        return edited.patch(from: current)
    }

    /// Takes a word that isn't part of the title; false for one that is.
    private mutating func take(_ word: String, _ dates: DateExpression.Context) throws(InputError) -> Bool {
        switch Token(word) {
        case .tag(let tag):
            removedTags.removeAll { $0 == tag }
            if !addedTags.contains(tag) { addedTags.append(tag) }
        case .withoutTag(let tag):
            addedTags.removeAll { $0 == tag }
            if !removedTags.contains(tag) { removedTags.append(tag) }
        case .attribute(let name, .equal, let value):
            guard let attribute = Attribute(name) else {
                guard Self.isValue(value), !Self.schemes.contains(name.lowercased()) else { return false }
                throw .unknownField(name, value: value, nearest: Attribute.meant(by: name))
            }
            fields[attribute.field] = try Self.value(of: attribute, value, dates)
            if case .other(let name) = attribute { typed[name] = value.isEmpty ? nil : value }
            if attribute == .repeating { fields = fields.adding(Repeat.beginning(in: dates, isOff: value.isEmpty)) }
        case .attribute, .word: return false
        }
        return true
    }

    /// URI schemes without a slash after the colon (among others RFC 6068, 3966, 5724, 5870, 8141).
    private static let schemes: Set = ["geo", "magnet", "mailto", "sip", "sms", "tel", "urn", "xmpp"]

    /// Whether the text after a name and its colon is meant as the field's value: `recur:weekly`, `estimate:3`.
    private static func isValue(_ text: String) -> Bool {
        guard let first = text.first else { return false }
        return first.isLetter || first.isNumber || "+-@#_".contains(first)
    }

    /// Refuses a value that is separated from its name by a space: `due: friday`.
    private static func checkTornValues(_ words: ArraySlice<String>) throws(InputError) {
        for (word, next) in zip(words, words.dropFirst()) {
            if case .word = Token(next), case .attribute(let name, .equal, "") = Token(word), Attribute(name) != nil {
                throw .torn(name, next)
            }
        }
    }

    private static func value(
        of attribute: Attribute, _ text: String, _ dates: DateExpression.Context
    ) throws(InputError) -> JSONValue {
        if text.isEmpty { return .null }
        switch attribute {
        case .date:
            do { return .string(try DateExpression(text, in: dates).moment.description) } catch { throw .date(error) }
        case .priority: return .string(try TaskRecord.Priority(typed: text).rawValue)
        case .tags: return .array(text.split(separator: ",").map { .string(String($0)) })
        case .status:
            if text == "done" { return .string(TaskRecord.Status.completed.rawValue) }
            guard TaskRecord.Status.known.contains(where: { $0.rawValue == text }) else { throw .status(text) }
            return .string(text)
        case .repeating: return .string(try Repeat(typed: text).description)
        case .title, .body, .project, .other: return .string(text)
        }
    }
    /// Parses a text as a value of the stored kind, or as a string if no value is stored.
    private static func value(
        of field: String, _ text: String, like stored: JSONValue?
    ) throws(InputError) -> JSONValue {
        let kind: InputError.Kind
        switch stored {
        case nil, .null, .string: return .string(text)
        case .number: kind = .number
        case .bool: kind = .boolean
        case .array(let elements):
            if elements.allSatisfy({ $0.string != nil }), !text.hasPrefix("[") {
                return .array(text.split(separator: ",").map { .string($0.trimmingCharacters(in: .whitespaces)) })
            }
            kind = .list
        case .object: kind = .object
        }
        // This error is more specific than the parser's.
        guard let value = try? JSONValue(parsing: text), kind.matches(value) else {
            throw .wrongKind(field: field, value: text, stored: kind)
        }
        return value
    }
}

extension InputError.Kind {
    fileprivate func matches(_ value: JSONValue) -> Bool {
        switch (self, value) {
        case (.number, .number), (.boolean, .bool), (.list, .array), (.object, .object): true
        case (.number, _), (.boolean, _), (.list, _), (.object, _): false
        }
    }
}
