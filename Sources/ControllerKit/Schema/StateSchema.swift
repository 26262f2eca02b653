/// The JSON Schema (draft 2020-12) of an encoded state: members, their types and whether they are required. It is
/// derived from the state's decoding. An object may have more members than the schema names.
///
/// Dates are texts in RFC 3339, URLs texts. An enumeration with text values has an `enum` if it is `CaseIterable`.
public struct StateSchema: Encodable, Equatable, Sendable {
    let root: SchemaNode
    /// The recursive types, by name.
    let definitions: [String: SchemaNode]

    /// The schema of any object.
    public static let anyObject = StateSchema(root: .object([]), definitions: [:])

    init(root: SchemaNode, definitions: [String: SchemaNode]) {
        self.root = root
        self.definitions = definitions
    }

    /// Creates the schema of a type.
    ///
    /// - Parameter userInfo: The decoder's `userInfo` for the type's decoding.
    /// - Throws: `StateSchemaError` for a type whose decoding can't be followed.
    public init(
        of type: any Decodable.Type, userInfo: [CodingUserInfoKey: any Sendable] = [:]
    ) throws(StateSchemaError) {
        let walk = SchemaWalk(userInfo: userInfo)
        do { root = try walk.visit(type).node } catch let error as StateSchemaError { throw error } catch {
            throw StateSchemaError(type: "\(type)", reason: "\(error)")
        }
        definitions = walk.definitions
    }

    public func encode(to encoder: any Encoder) throws {
        try root.encode(to: encoder)
        guard !definitions.isEmpty else { return }
        var members = encoder.container(keyedBy: SchemaKey.self)
        try members.encode(definitions, forKey: "$defs")
    }
}

/// The reason why a type has no schema.
public struct StateSchemaError: Error, Equatable {
    /// The type whose decoding can't be followed.
    public let type: String
    /// The error of its decoding, as text.
    public let reason: String
}

/// A part of a schema.
indirect enum SchemaNode: Encodable, Equatable, Sendable {
    case boolean, integer, number
    case text(format: String?)
    /// One of these words.
    case word([String])
    case list(SchemaNode)
    /// An object with any names and values of one type.
    case map(SchemaNode)
    case object([Member])
    /// A reference to one of the definitions.
    case reference(String)
    /// A value of this type or null.
    case nullable(SchemaNode)

    struct Member: Equatable, Sendable {
        let name: String
        let node: SchemaNode
        let isRequired: Bool
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: SchemaKey.self)
        switch self {
        case .boolean: try members.encode("boolean", forKey: "type")
        case .integer: try members.encode("integer", forKey: "type")
        case .number: try members.encode("number", forKey: "type")
        case .text(let format):
            try members.encode("string", forKey: "type")
            try members.encodeIfPresent(format, forKey: "format")
        case .word(let words):
            try members.encode("string", forKey: "type")
            try members.encode(words, forKey: "enum")
        case .list(let element):
            try members.encode("array", forKey: "type")
            try members.encode(element, forKey: "items")
        case .map(let value):
            try members.encode("object", forKey: "type")
            try members.encode(value, forKey: "additionalProperties")
        case .object(let properties):
            try members.encode("object", forKey: "type")
            try encode(properties, to: &members)
        case .reference(let name): try members.encode("#/$defs/\(name)", forKey: "$ref")
        case .nullable(let node):
            var cases = members.nestedUnkeyedContainer(forKey: "anyOf")
            try cases.encode(node)
            try cases.encode(["type": "null"])
        }
    }

    private func encode(_ properties: [Member], to members: inout KeyedEncodingContainer<SchemaKey>) throws {
        guard !properties.isEmpty else { return }
        var named = members.nestedContainer(keyedBy: SchemaKey.self, forKey: "properties")
        for property in properties { try named.encode(property.node, forKey: SchemaKey(property.name)) }
        let required = properties.filter(\.isRequired).map(\.name)
        if !required.isEmpty { try members.encode(required, forKey: "required") }
    }
}

/// A coding key with any name.
struct SchemaKey: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    let intValue: Int? = nil

    init(_ name: String) { stringValue = name }
    init(stringLiteral name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
