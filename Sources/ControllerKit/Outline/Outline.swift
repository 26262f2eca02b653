internal import Foundation

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
    /// Returns an identifier as words: `positionIsValid` and `position-is-valid` become `position is valid`. A name from
    /// outside, such as the key of a dictionary, must be sanitized for the medium, as any text.
    public static func label(of name: String) -> String {
        var words = ""
        var rest = name[...]
        while let character = rest.popFirst() {
            if character.isUppercase, words.last?.isLowercase == true { words += " " }
            // Between letters only: a hyphen in a date or before a number is part of it.
            if character == "-", words.last?.isLetter == true, rest.first?.isLetter == true {
                words += " "
            } else {
                // A single capital begins a word; several are an abbreviation.
                let isAbbreviated = words.last?.isUppercase == true || rest.first?.isUppercase == true
                words += isAbbreviated ? String(character) : character.lowercased()
            }
        }
        return words
    }
}

/// An encoder that creates an `Outline`. An instance encodes one value and is used once.
final class OutlineEncoder: Encoder {
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    fileprivate var node = Node.nothing

    /// A value under construction. Containers write into it through their encoder.
    fileprivate enum Node {
        case nothing
        case text(String)
        case list([OutlineEncoder])
        case members([(name: String, value: OutlineEncoder)])

        var outline: Outline {
            switch self {
            case .nothing: .nothing
            case .text(let text): .text(text)
            case .list(let elements): .list(elements.map(\.node.outline))
            case .members(let members):
                .members(members.map { Outline.Member(name: $0.name, value: $0.value.node.outline) })
            }
        }
    }

    /// Returns the outline of a value.
    func outline(of value: any Encodable) throws -> Outline {
        try add(value)
        return node.outline
    }

    fileprivate func add(_ value: any Encodable) throws {
        switch value {
        case let date as Date: node = .text(date.formatted(.iso8601))
        case let url as URL: node = .text(url.absoluteString)
        case let dictionary as any TextKeyed: try dictionary.encodeSorted(to: self)
        default: try value.encode(to: self)
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        // A type may request its container several times; members that were already written are kept.
        if case .members = node {} else { node = .members([]) }
        return KeyedEncodingContainer(Members<Key>(encoder: self))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        if case .list = node {} else { node = .list([]) }
        return Elements(encoder: self)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

    fileprivate func member(_ name: String) -> OutlineEncoder {
        let value = OutlineEncoder()
        if case .members(let members) = node { node = .members(members + [(name, value)]) }
        return value
    }

    fileprivate func element() -> OutlineEncoder {
        let value = OutlineEncoder()
        if case .list(let elements) = node { node = .list(elements + [value]) }
        return value
    }
}

/// A dictionary with text keys. Its order is random, so its members are sorted by name.
private protocol TextKeyed {
    func encodeSorted(to encoder: OutlineEncoder) throws
}

extension Dictionary: TextKeyed where Key == String, Value: Encodable {
    fileprivate func encodeSorted(to encoder: OutlineEncoder) throws {
        encoder.node = .members([])
        for (name, value) in sorted(by: { $0.key < $1.key }) { try encoder.member(name).add(value) }
    }
}

private struct Single: SingleValueEncodingContainer {
    let encoder: OutlineEncoder
    let codingPath: [any CodingKey] = []

    mutating func encodeNil() { encoder.node = .nothing }
    mutating func encode(_ value: Bool) { encoder.node = .text(value ? "yes" : "no") }
    mutating func encode(_ value: String) { encoder.node = .text(value) }
    mutating func encode(_ value: Double) { encoder.node = .text(value.plain) }
    mutating func encode(_ value: Float) { encoder.node = .text(Double(value).plain) }
    mutating func encode<T: Encodable>(_ value: T) throws {
        // All integer types use this generic method.
        if let number = value as? any BinaryInteger {
            encoder.node = .text("\(number)")
        } else {
            try encoder.add(value)
        }
    }
}

private struct Members<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: OutlineEncoder
    let codingPath: [any CodingKey] = []

    // An explicit nil is treated as an absent optional: it has no member.
    mutating func encodeNil(forKey key: Key) {}
    mutating func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
        try encoder.member(key.stringValue).add(value)
    }
    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> {
        encoder.member(key.stringValue).container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        encoder.member(key.stringValue).unkeyedContainer()
    }
    mutating func superEncoder() -> any Encoder { encoder.member("super") }
    mutating func superEncoder(forKey key: Key) -> any Encoder { encoder.member(key.stringValue) }
}

private struct Elements: UnkeyedEncodingContainer {
    let encoder: OutlineEncoder
    let codingPath: [any CodingKey] = []
    var count = 0

    init(encoder: OutlineEncoder) { self.encoder = encoder }

    private mutating func next() -> OutlineEncoder {
        count += 1
        return encoder.element()
    }
    // Other than a member, an absent element keeps its place in the list.
    mutating func encodeNil() { _ = next() }
    mutating func encode<T: Encodable>(_ value: T) throws { try next().add(value) }
    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        next().container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { next().unkeyedContainer() }
    mutating func superEncoder() -> any Encoder { next() }
}

extension Double {
    /// The number as text; a whole number without a fraction.
    fileprivate var plain: String { Int(exactly: self).map { "\($0)" } ?? "\(self)" }
}
