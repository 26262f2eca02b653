/// A decoder without data: it returns placeholder values and records which members and types are requested. An instance
/// decodes one value.
final class SchemaDecoder: Decoder {
    let codingPath: [any CodingKey] = []
    var userInfo: [CodingUserInfoKey: Any] { walk.userInfo }
    private let walk: SchemaWalk
    private var members: [Member]?
    private var other: SchemaNode?
    private var elements: [SchemaDecoder] = []

    /// A requested member. Its schema is complete when the decoding has ended.
    private struct Member {
        let name: String
        let decoder: SchemaDecoder
        let isRequired: Bool
    }

    init(_ walk: SchemaWalk) { self.walk = walk }

    /// The schema of what was requested.
    var node: SchemaNode {
        if let members {
            return .object(members.map { .init(name: $0.name, node: $0.decoder.node, isRequired: $0.isRequired) })
        }
        return elements.first.map { .list($0.node) } ?? other ?? .object([])
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        members = members ?? []
        return KeyedDecodingContainer(SchemaMembers<Key>(decoder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer { SchemaElements(decoder: self) }

    func singleValueContainer() -> any SingleValueDecodingContainer { SchemaSingle(decoder: self) }

    /// Records the type and returns a value of it.
    fileprivate func value<T: Decodable>(_ type: T.Type) throws -> T {
        let found = try walk.visit(type)
        other = found.node
        guard let value = found.value as? T else {
            throw StateSchemaError(type: "\(type)", reason: "it always holds another one")
        }
        return value
    }

    /// Records the type of a value that may be absent.
    fileprivate func note(_ type: any Decodable.Type) throws { other = try walk.visit(type).node }

    fileprivate func member(_ key: any CodingKey, isRequired: Bool = true) -> SchemaDecoder {
        let decoder = SchemaDecoder(walk)
        // A type may request a member several times, with other types; the last request counts.
        members =
            (members ?? []).filter { $0.name != key.stringValue }
            + [Member(name: key.stringValue, decoder: decoder, isRequired: isRequired)]
        return decoder
    }

    fileprivate func element() -> SchemaDecoder {
        elements.append(SchemaDecoder(walk))
        return elements[elements.count - 1]
    }
}

private struct SchemaMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: SchemaDecoder
    let codingPath: [any CodingKey] = []
    // A type that decodes its members by `allKeys` has members of any name: its schema is that of any object.
    let allKeys: [Key] = []

    // Every member exists and isn't null, so that the decoding requests all of them.
    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder.member(key).value(type)
    }

    private func absent<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
        try decoder.member(key, isRequired: false).note(type)
        return nil
    }

    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try absent(type, key) }

    // The protocol's default implementations for these types call `decode`, which records a required member.
    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try absent(type, key) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try absent(type, key) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try absent(type, key) }
    func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try absent(type, key) }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try absent(type, key) }
    func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try absent(type, key) }
    func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try absent(type, key) }
    func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try absent(type, key) }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try absent(type, key) }
    func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try absent(type, key) }
    func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try absent(type, key) }
    func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try absent(type, key) }
    func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try absent(type, key) }
    func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try absent(type, key) }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) -> KeyedDecodingContainer<Nested> { decoder.member(key).container(keyedBy: type) }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedDecodingContainer {
        decoder.member(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { decoder }
    func superDecoder(forKey key: Key) -> any Decoder { decoder.member(key) }
}

/// A list with one element, which ends a loop over all elements.
private struct SchemaElements: UnkeyedDecodingContainer {
    let decoder: SchemaDecoder
    let codingPath: [any CodingKey] = []
    let count: Int? = 1
    var currentIndex = 0

    init(decoder: SchemaDecoder) { self.decoder = decoder }

    var isAtEnd: Bool { currentIndex > 0 }

    private mutating func next() -> SchemaDecoder {
        currentIndex += 1
        return decoder.element()
    }

    mutating func decodeNil() -> Bool { false }
    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().value(type) }
    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        next().container(keyedBy: type)
    }
    mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer { next().unkeyedContainer() }
    mutating func superDecoder() -> any Decoder { next() }
}

private struct SchemaSingle: SingleValueDecodingContainer {
    let decoder: SchemaDecoder
    let codingPath: [any CodingKey] = []

    func decodeNil() -> Bool { false }
    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.value(type) }
}
