internal import Foundation

/// The change of a record that the words after `add`, `note` and `edit` describe.
///
/// - `+shop`, `-shop`: adds or removes a tag, `+a,b` two of them; `tags:a,b` replaces them all
/// - `project:core`, `priority:H`, `body:text`, `title:text`, `status:pending`, `field.estimate:3`; without a value:
///   removes it
/// - `due:tomorrow`, `due:friday 15:00`: a date, as `DateExpression` parses it, with the words after it that belong to
///   it; the kind of values is declared (`Field`)
/// - `depends:1,3f2a`, `depends:-1`: adds or removes references to records; a value of a field of this kind
/// - `--`: all further words belong to the title
/// - all other words form the title: also one that ends with its colon (`Re:`), one whose colon is followed by anything
///   other than a letter, a digit or one of `+-@#_` (`http://x.org`, `std::map`, `C:\\dir`) and an address such as
///   `mailto:a@b.org`
///
/// Any other `name:value` is refused, so that a typing error or a field name of another program doesn't end up in a
/// title.
public struct Edit: Sendable, Equatable {
    /// The fields that are replaced whole, undeclared fields as texts; `null` removes a field.
    public private(set) var fields = JSONObject()
    /// The typed texts of undeclared fields, by name: the kind of the stored value determines how each is parsed.
    private var typed: [String: String] = [:]
    /// The changes of references to other records, by field, as typed.
    var references: [String: ReferenceChange] = [:]
    /// The tags that are added.
    public private(set) var addedTags: [String] = []
    /// The tags that are removed.
    public private(set) var removedTags: [String] = []

    /// Parses an edit.
    ///
    /// - Parameters:
    ///   - words: The typed words, without quotes.
    ///   - dates: The time and the calendar with which dates are read.
    ///   - catalog: The fields that can be named.
    /// - Throws: `InputError` for the first invalid word.
    public init(
        _ words: [String], dates: DateExpression.Context, catalog: FieldCatalog
    ) throws(InputError) {
        let end = words.firstIndex(of: "--") ?? words.endIndex
        var titleWords: [String] = []
        let joined = Self.joiningDates(words[..<end], dates, catalog)
        for word in joined where try !apply(word, dates, catalog) { titleWords.append(word) }
        try Self.checkTornValues(joined[...], catalog)
        try Self.checkTimes(joined, catalog)
        let title = titleWords + words[end...].dropFirst()
        if !title.isEmpty, fields[FieldKey.title.name] != nil { throw .titleTwice }
        if !title.isEmpty { fields[.title] = title.joined(separator: " ") }
        do {
            try FieldLimits.check(fields, catalog)
            // `fields` doesn't contain the added tags, which have the same limit.
            try FieldLimits.check([FieldKey.tags.name: .array(addedTags.map(JSONValue.string))], catalog)
        } catch { throw .field(error) }
    }

    /// Whether it changes nothing.
    public var isEmpty: Bool { fields.isEmpty && references.isEmpty && addedTags.isEmpty && removedTags.isEmpty }

    /// Returns the smallest patch that applies the edit to a record with these fields; `null` removes a field. An
    /// undeclared field keeps the kind of its stored value.
    ///
    /// - Throws: `InputError.kindChange` if the typed text can't be parsed as that kind.
    public func patch(for current: JSONObject) throws(InputError) -> JSONObject {
        var edited = current.applying(fields)
        for (name, text) in typed.sorted(by: { $0.key < $1.key }) {
            edited[name] = try Self.value(of: name, text, like: current[name])
        }
        applyReferences(to: &edited)
        edited.tag(adding: addedTags, removing: removedTags)
        return edited.patch(from: current)
    }

    /// Returns the first word before `--` that begins with `+` or `-` and can't be a tag; nil: there is none. An edit of
    /// an existing record must not make it a part of the title.
    public static func invalidTag(in words: [String]) -> String? {
        words.prefix { $0 != "--" }.first { word in
            switch Token(word) {
            case .tag(let tags), .withoutTag(let tags): Self.tags(in: tags) == nil
            case .attribute: false
            case .word: word.hasPrefix("+") || word.hasPrefix("-")
            }
        }
    }

    /// Returns the tags in a list separated by commas; nil: one of them can't be a tag.
    private static func tags(in list: String) -> [String]? {
        let tags = list.split(separator: ",").map(String.init)
        return tags.allSatisfy { Token("+" + $0) == .tag($0) } ? tags : nil
    }

    /// Returns the words before `--` that name neither a field nor a tag and don't continue a date, without parsing any
    /// other value.
    public static func titleWords(
        of words: [String], catalog: FieldCatalog, dates: DateExpression.Context
    ) -> [String] {
        joiningDates(words.prefix { $0 != "--" }, dates, catalog).filter { word in
            switch Token(word) {
            case .tag, .withoutTag: false
            case .attribute(let name, .equal, _): catalog.field(typed: name) == nil
            case .attribute, .word: true
            }
        }
    }

    /// Applies a word that isn't part of the title; returns false for one that is.
    private mutating func apply(
        _ word: String, _ dates: DateExpression.Context, _ catalog: FieldCatalog
    ) throws(InputError) -> Bool {
        switch Token(word) {
        case .tag(let list):
            guard let tags = Self.tags(in: list) else { throw .notATag(word) }
            // Of `+shop` and `-shop`, the last one is applied.
            removedTags.removeAll { tags.contains($0) }
            for tag in tags where !addedTags.contains(tag) { addedTags.append(tag) }
        case .withoutTag(let list):
            guard let tags = Self.tags(in: list) else { throw .notATag(word) }
            addedTags.removeAll { tags.contains($0) }
            for tag in tags where !removedTags.contains(tag) { removedTags.append(tag) }
        case .attribute(let name, .equal, let text):
            guard let field = catalog.field(typed: name) else {
                guard Self.isValue(text), !Self.schemes.contains(name.lowercased()) else { return false }
                throw .unknownField(name, value: text, nearest: catalog.name(meantBy: name))
            }
            let value = text.isEmpty ? nil : text
            if let value, field.kind.isReference {
                let typed = ReferenceChange(typed: value, isSingle: !field.kind.isReferences)
                let change = references[field.name]?.adding(typed) ?? typed
                if change.hasTooMany { throw .severalReferences(field: field.name) }
                references[field.name] = change
                return true
            }
            references[field.name] = nil
            fields[field.name] =
                try value.map { text throws(InputError) in try field.value(typed: text, dates) } ?? .null
            switch field.kind {
            case .any: typed[field.name] = value
            // A new interval also sets the time zone in which it is counted.
            case .custom(let syntax): fields = fields.adding(syntax.companions(value, dates))
            default: break
            }
        case .attribute, .word:
            try Self.checkEqualsSign(word, catalog)
            return false
        }
        return true
    }

    /// URI schemes without a slash after the colon (among others RFC 6068, 3966, 5724, 5870, 8141).
    static let schemes: Set = ["geo", "magnet", "mailto", "sip", "sms", "tel", "urn", "xmpp"]

    /// Returns whether the text after a name and its colon is meant as the field's value: `recur:weekly`, `estimate:3`.
    static func isValue(_ text: String) -> Bool {
        guard let first = text.first else { return false }
        return first.isLetter || first.isNumber || "+-@#_".contains(first)
    }

    /// Refuses `due=friday`, which is meant as a value. Only the names of fields are refused: `a=b` may be in a title.
    private static func checkEqualsSign(_ word: String, _ catalog: FieldCatalog) throws(InputError) {
        guard let sign = word.firstIndex(of: "="), catalog.field(typed: String(word[..<sign])) != nil else { return }
        let value = word[word.index(after: sign)...]
        guard isValue(String(value)) else { return }
        throw .equalsSign(name: String(word[..<sign]), value: String(value))
    }

    /// Refuses a value that is separated from its name by a space: `due: friday`.
    private static func checkTornValues(_ words: ArraySlice<String>, _ catalog: FieldCatalog) throws(InputError) {
        for (word, next) in zip(words, words.dropFirst()) {
            if case .word = Token(next), case .attribute(let name, .equal, "") = Token(word),
                catalog.field(typed: name) != nil
            {
                throw .torn(name, next)
            }
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
            // A list of texts is typed with commas; text that begins with a bracket is JSON.
            if elements.allSatisfy({ $0.string != nil }), !text.hasPrefix("[") {
                return .array(text.split(separator: ",").map { .string($0.trimmingCharacters(in: .whitespaces)) })
            }
            kind = .list
        case .object: kind = .object
        }
        guard let value = kind.value(of: text) else { throw .kindChange(field: field, value: text, stored: kind) }
        return value
    }
}
