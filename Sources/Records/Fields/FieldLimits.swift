/// What a person may enter. The limits leave room for merges: a body that holds two versions, and a conflict record
/// with both, still fit into the 1 MiB of a record's fields.
public enum FieldLimits {
    /// A record's fields, as JSON, in bytes; a server may allow less (SyncAPI.docc/Protocol.md, "Limits").
    public static let fieldsBytes = 1 << 20
    /// A title's length in bytes of UTF-8.
    public static let titleBytes = 16 << 10
    /// A body's length in bytes of UTF-8.
    public static let bodyBytes = 256 << 10
    /// A tag's or a project's length in bytes of UTF-8.
    public static let wordBytes = 256

    /// Checks the fields that an edit sets.
    ///
    /// - Parameter catalog: says what each field holds.
    /// - Throws: `InvalidField` for the first, by name, that may not be set so.
    public static func check(_ patch: JSONObject, _ catalog: FieldCatalog) throws(InvalidField) {
        for name in patch.sortedNames {
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

/// A field that may not be set as it was typed. The message says what is wrong and what to do.
public struct InvalidField: Error, Equatable, Sendable, CustomStringConvertible {
    /// The field's name.
    public let field: String
    /// What is wrong with it.
    public let reason: Reason

    /// Why a field may not be set. New cases may be added.
    public enum Reason: Equatable, Sendable {
        /// There is no text.
        case empty
        /// It must be a single line.
        case severalLines
        /// It is too long; both in bytes of UTF-8.
        case tooLong(bytes: Int, limit: Int)
    }

    init(_ field: String, _ reason: Reason) {
        self.field = field
        self.reason = reason
    }

    /// For the person.
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

    /// Bytes as people read them, rounded up, so that what is too long never looks as if it were allowed.
    private static func size(_ bytes: Int) -> String {
        bytes < 1 << 10 ? "\(bytes) bytes" : "\((bytes + 1023) >> 10) KiB"
    }
}
