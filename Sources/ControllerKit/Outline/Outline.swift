/// Any `Encodable` state as a tree of texts. Adapters show it for a screen that has no renderer of its own.
/// Members keep the order of declaration; an optional that is nil has no member.
public indirect enum Outline: Equatable, Sendable {
    /// No value.
    case nothing
    /// A text, a number, a Boolean (`yes`, `no`), a date (ISO 8601) or a URL.
    case text(String)
    /// Elements in order.
    case list([Outline])
    /// Named values. The values of a dictionary are sorted by name.
    case members([Member])

    /// A named value.
    public struct Member: Equatable, Sendable {
        /// The property's name, or the dictionary's key.
        public let name: String
        /// The value.
        public let value: Outline

        /// The name as words, see `Outline.label(of:)`.
        public var label: String { Outline.label(of: name) }
    }

    /// Creates the outline of a value.
    ///
    /// - Throws: The error of the value's `encode(to:)`.
    public init(_ value: any Encodable) throws {
        let encoder = OutlineEncoder()
        self = try encoder.outline(of: value)
    }
}

extension Outline {
    /// Returns an identifier as words: `positionIsValid` becomes `position is valid`. A name from outside, such as the
    /// key of a dictionary, must be sanitized for the medium, as any text.
    public static func label(of name: String) -> String {
        var words = ""
        for character in name {
            if character.isUppercase, words.last?.isLowercase == true { words += " " }
            words += words.last?.isUppercase == true ? String(character) : character.lowercased()
        }
        return words
    }
}
