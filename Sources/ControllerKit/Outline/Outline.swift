/// Any state as text in a tree, by its `Encodable` conformance: how an adapter shows a screen that it has no polish for.
/// Members keep the order of declaration; an optional that is nil has none.
public indirect enum Outline: Equatable, Sendable {
    /// No value.
    case nothing
    /// A text, a number, a truth (`yes`, `no`), a date (ISO 8601) or an address.
    case text(String)
    /// Elements in order.
    case list([Outline])
    /// Named values; those of a dictionary sorted by name.
    case members([Member])

    /// A named value.
    public struct Member: Equatable, Sendable {
        /// The property's name, or the dictionary's key.
        public let name: String
        /// Its value.
        public let value: Outline

        /// The name as words, see `Outline.label(of:)`.
        public var label: String { Outline.label(of: name) }
    }

    /// Decomposes a value.
    ///
    /// - Throws: What the value's own `encode(to:)` throws.
    public init(_ value: any Encodable) throws {
        let encoder = OutlineEncoder()
        self = try encoder.outline(of: value)
    }
}

extension Outline {
    /// A name of a program as words: `positionIsValid` becomes `position is valid`. One that comes from outside (the key of
    /// a dictionary) has to be made harmless for the medium, as any text.
    public static func label(of name: String) -> String {
        var words = ""
        for character in name {
            if character.isUppercase, words.last?.isLowercase == true { words += " " }
            words += words.last?.isUppercase == true ? String(character) : character.lowercased()
        }
        return words
    }
}
