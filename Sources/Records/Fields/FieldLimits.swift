/// The limits of what a user may enter. They leave room for merges: a body with two versions, and a conflict record
/// with both, still fit into the 1 MiB of a record's fields.
public enum FieldLimits {
    /// The largest size of a record's fields, as JSON, in bytes; a server may allow less (SyncAPI.docc/Protocol.md,
    /// "Limits").
    public static let fieldsBytes = 1 << 20
    /// The largest length of a title in bytes of UTF-8.
    public static let titleBytes = 16 << 10
    /// The largest length of a body in bytes of UTF-8.
    public static let bodyBytes = 256 << 10
    /// The largest length of a tag or a project in bytes of UTF-8.
    public static let wordBytes = 256

    /// Checks the fields that an edit sets.
    ///
    /// - Parameters:
    ///   - patch: The fields that are set.
    ///   - catalog: The declared fields.
    /// - Throws: `InvalidField` for the first invalid field, by name.
    public static func check(_ patch: JSONObject, _ catalog: FieldCatalog) throws(InvalidField) {
        for name in patch.sortedNames {
            // An alias is accepted in typed words only; in a patch, a field of that name is undeclared and has no
            // limits.
            guard let value = patch[name], let field = catalog[name], field.name == name else { continue }
            try check(value, of: field)
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
            if title.contains(where: \.isNewline) { throw InvalidField(field.name, .severalLines) }
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
