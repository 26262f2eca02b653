/// The checks of what a user or a program enters. The limits of lengths leave room for merges: a body with two versions, and a conflict record
/// with both, still fit into the 1 MiB of a record's fields.
public enum FieldLimits {
    /// The largest size of a record's fields, as JSON, in bytes; a server may allow less (SyncAPI.docc/Protocol.md,
    /// "Limits").
    public static let fieldsBytes = 1 << 20
    /// The maximum length of a title in bytes of UTF-8.
    public static let titleBytes = 16 << 10
    /// The maximum length of a body in bytes of UTF-8.
    public static let bodyBytes = 256 << 10
    /// The maximum length of a tag or a project in bytes of UTF-8.
    public static let wordBytes = 256

    /// Checks the fields that an edit sets.
    ///
    /// - Parameters:
    ///   - patch: The fields that are set.
    ///   - catalog: The declared fields.
    /// - Throws: `InvalidField` for the first invalid field, by name.
    public static func check(_ patch: JSONObject, _ catalog: FieldCatalog) throws(InvalidField) {
        for name in patch.sortedNames where catalog.kind(of: name)?.maximumBytes != nil {
            if let value = patch[name], let field = catalog[name] { try check(value, of: field) }
        }
    }

    /// Checks that the values that an edit sets fit the kinds of their fields. Undeclared fields have no kind.
    ///
    /// A value that the record already has is accepted, and so are elements of its sets: another client may have stored
    /// them, and the record must stay editable.
    ///
    /// - Parameters:
    ///   - patch: The fields that are set; `null` removes one.
    ///   - stored: The present fields of the record.
    ///   - catalog: The declared fields.
    /// - Throws: `InvalidField` for the first invalid field, by name.
    package static func checkKinds(
        of patch: JSONObject, on stored: JSONObject, _ catalog: FieldCatalog
    ) throws(InvalidField) {
        for name in patch.sortedNames {
            guard let value = patch[name], !value.isNull, value != stored[name],
                let field = catalog[name], !field.accepts(value, replacing: stored[name])
            else { continue }
            throw InvalidField(name, .wrongKind(accepted: field.kind.accepted))
        }
    }

    /// Checks that the values that a program sets are among those that a user can choose. A value that the record already
    /// has is accepted.
    ///
    /// - Parameters:
    ///   - patch: The fields that are set; `null` removes one.
    ///   - stored: The present fields of the record.
    ///   - catalog: The declared fields.
    /// - Throws: `InvalidField` for the first invalid field, by name.
    package static func checkChoices(
        of patch: JSONObject, on stored: JSONObject, _ catalog: FieldCatalog
    ) throws(InvalidField) {
        for name in patch.sortedNames {
            guard let value = patch[name], !value.isNull, value != stored[name],
                let field = catalog[name], let choices = field.kind.offeredChoices,
                !choices.contains(value.string ?? "")
            else { continue }
            throw InvalidField(name, .wrongKind(accepted: "one of " + choices.joined(separator: ", ")))
        }
    }

    private static func check(_ value: JSONValue, of field: Field) throws(InvalidField) {
        guard let limit = field.kind.maximumBytes else { return }
        switch field.kind {
        case .title:
            guard let title = value.string, !title.allSatisfy(\.isWhitespace) else {
                throw InvalidField(field.name, .empty)
            }
            try check(title, named: field.name, limit: limit)
            if title.hasNewline { throw InvalidField(field.name, .severalLines) }
        case .words:
            let name = field.aliases.first ?? field.name
            for word in value.array ?? [] { try check(word.string ?? "", named: name, limit: limit) }
        default: try check(value.string ?? "", named: field.name, limit: limit)
        }
    }

    private static func check(_ text: String, named name: String, limit: Int) throws(InvalidField) {
        let count = text.utf8.count
        if count > limit { throw InvalidField(name, .tooLong(bytes: count, limit: limit)) }
    }
}

extension String {
    /// Whether a character is a newline (`Character.isNewline`); the search by characters takes much longer.
    package var hasNewline: Bool {
        unicodeScalars.contains { scalar in
            switch scalar.value {
            case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
            default: false
            }
        }
    }
}

extension Field {
    /// Returns whether an edit may replace a stored value by this one.
    fileprivate func accepts(_ value: JSONValue, replacing stored: JSONValue?) -> Bool {
        switch kind {
        case .words, .references: Self.isSet(value, keeping: stored) { $0.string != nil }
        case .annotations: Self.isSet(value, keeping: stored) { Annotation.element($0) != nil }
        case .title, .text, .word, .path, .choice, .moment, .date, .number, .flag, .reference, .custom, .any:
            content(of: value) != nil
        }
    }

    private static func isSet(
        _ value: JSONValue, keeping stored: JSONValue?, where isElement: (JSONValue) -> Bool
    ) -> Bool {
        guard let elements = value.array else { return false }
        let present = stored?.array ?? []
        return elements.allSatisfy { isElement($0) || present.contains($0) }
    }
}

extension FieldKind {
    /// The values that such a field may have, for an error.
    fileprivate var accepted: String {
        switch self {
        case .title, .text, .word, .path: "a text"
        case .choice(let choices, let others):
            others ? "a text" : "one of " + choices.filter(\.isOffered).map(\.value).joined(separator: ", ")
        case .words: "a set of texts"
        case .moment: "a time such as 2026-11-21T05:22:00Z"
        case .date: "a day such as 2026-11-21, or a time such as 2026-11-21T05:22:00Z"
        case .number: InputError.Kind.number.name
        case .flag: InputError.Kind.boolean.name
        case .annotations: "a set of annotations"
        case .reference: "the id of a record"
        case .references: "a set of ids of records"
        case .custom(let syntax): syntax.noun + (syntax.examples.first.map { " such as " + $0 } ?? "")
        case .any: "any value"
        }
    }
}

/// A field with a value that is not allowed. The message contains the problem and what to do.
public struct InvalidField: Error, Equatable, Sendable, CustomStringConvertible {
    /// The field's name.
    public let field: String
    /// The problem.
    public let reason: Reason

    /// The problem of a value. New cases may be added.
    public enum Reason: Equatable, Sendable {
        /// The text is empty or white space.
        case empty
        /// The text has several lines where one is allowed.
        case severalLines
        /// The text is too long; both numbers are bytes of UTF-8.
        case tooLong(bytes: Int, limit: Int)
        /// The value is of the wrong kind for the field; `accepted` describes the values that the field can have.
        case wrongKind(accepted: String)
    }

    init(_ field: String, _ reason: Reason) {
        self.field = field
        self.reason = reason
    }

    /// The message for the user.
    public var description: String {
        switch reason {
        case .empty: "The \(field) is empty: give it some text."
        case .severalLines: "The \(field) has several lines: put the first into it and the rest into the body."
        case .tooLong(let bytes, let limit):
            "The \(field) is too long: \(Self.size(bytes)) where \(Self.size(limit)) are allowed. " + remedy
        case .wrongKind(let accepted): "The value of \(field) must be \(accepted)."
        }
    }

    private var remedy: String {
        switch field {
        case "title": "Put the rest into the body."
        case "body": "Put a part of it into another record, or shorten it."
        default: "Shorten it."
        }
    }

    /// Returns a size for display, rounded up, so that a size above the limit never looks like the limit.
    private static func size(_ bytes: Int) -> String {
        bytes < 1 << 10 ? "\(bytes) bytes" : "\((bytes + 1023) >> 10) KiB"
    }
}
