/// What the words behind `add`, `note` and `edit` change in a record.
///
/// - `+shop`, `-shop`: add or remove a tag; `tags:a,b` replaces them all
/// - `project:core`, `priority:H`, `body:text`, `title:text`, `status:pending`, `field.estimate:3`; without a value: removes it
/// - `repeat:weekly`: how often a task comes again (`Repeat`), in the time zone where it is typed
/// - `due:tomorrow`, `wait:+3d`, `scheduled:`, `until:`: dates, as `DateExpression` reads them
/// - `--`: all further words belong to the title
/// - all other words make the title
public struct Edit: Sendable, Equatable {
    /// Fields that are replaced whole; `null` removes one.
    public private(set) var fields = JSONObject()
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
        var title: [String] = []
        for word in words[..<end] where try !take(word, dates) { title.append(word) }
        try Self.checkSlips(words[..<end], title)
        title += words[end...].dropFirst()
        if !title.isEmpty, fields["title"] != nil { throw .titleTwice }
        if !title.isEmpty { fields["title"] = .string(title.joined(separator: " ")) }
        do { try FieldLimits.check(fields) } catch { throw .field(error) }
        do { try FieldLimits.check(["tags": .array(addedTags.map(JSONValue.string))]) } catch { throw .field(error) }
    }

    /// Whether it changes nothing at all.
    public var isEmpty: Bool { fields.isEmpty && addedTags.isEmpty && removedTags.isEmpty }

    /// The smallest patch that carries out the edit on a record with these fields; `null` removes one.
    public func patch(for current: JSONObject) -> JSONObject {
        var edited = current.applying(fields)
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
                // "Re: milk" and "http://…" are words of a title; "porject:home" is a slip.
                let isSlip = !value.isEmpty && !value.hasPrefix("/")
                guard isSlip, let nearest = Suggestion.nearest(name, among: Attribute.names) else { return false }
                throw .unknownName(name, nearest: nearest)
            }
            fields[attribute.field] = try Self.value(of: attribute, value, dates)
            if attribute == .repeating { fields = fields.adding(Repeat.beginning(in: dates, isOff: value.isEmpty)) }
        case .attribute, .word: return false
        }
        return true
    }

    /// Words that would make a title which nobody means: what a space has torn off its name (`due: friday`), and names that
    /// aren't known with nothing beside them (`recur:weekly`).
    private static func checkSlips(_ words: ArraySlice<String>, _ title: [String]) throws(InputError) {
        for (word, next) in zip(words, words.dropFirst()) where title.first == next && isTitle(next) {
            if case .attribute(let name, .equal, "") = Token(word), Attribute(name) != nil { throw .torn(name, next) }
        }
        for word in title {
            guard case .attribute(let name, .equal, let value) = Token(word), isName(name), !value.hasPrefix("/") else {
                return
            }
        }
        if case .attribute(let name, _, _)? = title.first.map(Token.init) { throw .unknownName(name, nearest: nil) }
    }

    private static func isTitle(_ word: String) -> Bool {
        if case .word = Token(word) { true } else { false }
    }

    /// "Re: milk" and "TODO: fix" are titles.
    private static func isName(_ word: String) -> Bool { word.allSatisfy { $0.isLowercase || $0 == "." || $0 == "_" } }

    private static func value(
        of attribute: Attribute, _ text: String, _ dates: DateExpression.Context
    ) throws(InputError) -> JSONValue {
        if text.isEmpty { return .null }
        switch attribute {
        case .date:
            do { return .string(try DateExpression(text, in: dates).moment.description) } catch { throw .date(error) }
        case .priority: return .string(try TaskRecord.Priority(typed: text).rawValue)
        case .tags: return .array(text.split(separator: ",").map { .string(String($0)) })
        case .status: return .string(text == "done" ? TaskRecord.Status.completed.rawValue : text)
        case .repeating: return .string(try Repeat(typed: text).description)
        case .title, .body, .project, .other: return .string(text)
        }
    }
}
