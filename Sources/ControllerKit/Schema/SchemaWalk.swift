internal import Foundation

/// Follows the decoding of types and records what they request. An instance creates one schema, on one thread.
final class SchemaWalk {
    /// The recursive types, by name.
    private(set) var definitions: [String: SchemaNode] = [:]
    /// The types that are being decoded.
    private var path: [ObjectIdentifier] = []
    private var recursive: Set<ObjectIdentifier> = []
    /// The decoders' `userInfo`.
    let userInfo: [CodingUserInfoKey: any Sendable]

    init(userInfo: [CodingUserInfoKey: any Sendable]) { self.userInfo = userInfo }

    /// Returns the schema of a type and a value of it for the decoding that requests one; nil: there is no value,
    /// because the type is being decoded.
    func visit(_ type: any Decodable.Type) throws -> (node: SchemaNode, value: Any?) {
        switch type {
        case let leaf as any SchemaLeaf.Type: (leaf.node, leaf.sample)
        case let number as any (FixedWidthInteger & Decodable).Type: (.integer, number.init())
        case let list as any SchemaList.Type: (.list(try visit(list.element).node), list.empty)
        case let map as any SchemaMap.Type: (.map(try visit(map.value).node), map.empty)
        case let optional as any SchemaOptional.Type: (.nullable(try visit(optional.wrapped).node), optional.none)
        // Before `follow`, which would see only that the enumeration decodes a text, not which ones it accepts.
        case let words as any (RawRepresentable & CaseIterable).Type: try visit(words) ?? follow(type)
        default: try follow(type)
        }
    }

    /// Returns the words of an enumeration with text values; nil: its values are of another type.
    private func visit<Words: RawRepresentable & CaseIterable>(_ type: Words.Type) -> (node: SchemaNode, value: Any?)? {
        let words = Words.allCases.compactMap { $0.rawValue as? String }
        return words.isEmpty ? nil : (.word(words), Words.allCases.first)
    }

    /// Returns the schema of a type by calling its `init(from:)`.
    private func follow(_ type: any Decodable.Type) throws -> (node: SchemaNode, value: Any?) {
        let (id, name) = (ObjectIdentifier(type), "\(type)")
        // A recursive type has no finite schema without a reference.
        if path.contains(id) {
            recursive.insert(id)
            return (.reference(name), nil)
        }
        path.append(id)
        defer { path.removeLast() }
        let decoder = SchemaDecoder(self)
        let value: Any
        do { value = try type.init(from: decoder) } catch let error as StateSchemaError { throw error } catch {
            throw StateSchemaError(type: name, reason: "\(error)")
        }
        // Only a recursive type needs a name in the schema; all others are written in place.
        guard recursive.contains(id) else { return (decoder.node, value) }
        definitions[name] = decoder.node
        return (.reference(name), value)
    }
}

/// A type that is encoded as one value.
private protocol SchemaLeaf: Decodable {
    static var node: SchemaNode { get }
    static var sample: Self { get }
}

extension Bool: SchemaLeaf {
    fileprivate static var node: SchemaNode { .boolean }
    fileprivate static var sample: Bool { false }
}

extension String: SchemaLeaf {
    fileprivate static var node: SchemaNode { .text(format: nil) }
    fileprivate static var sample: String { "" }
}

extension Double: SchemaLeaf {
    fileprivate static var node: SchemaNode { .number }
    fileprivate static var sample: Double { 0 }
}

extension Float: SchemaLeaf {
    fileprivate static var node: SchemaNode { .number }
    fileprivate static var sample: Float { 0 }
}

extension Date: SchemaLeaf {
    fileprivate static var node: SchemaNode { .text(format: "date-time") }
    fileprivate static var sample: Date { Date(timeIntervalSince1970: 0) }
}

extension UUID: SchemaLeaf {
    fileprivate static var node: SchemaNode { .text(format: "uuid") }
    fileprivate static var sample: UUID { UUID() }
}

extension URL: SchemaLeaf {
    // A decoded URL may be relative, which the format `uri` doesn't allow (RFC 3986, section 4.1).
    fileprivate static var node: SchemaNode { .text(format: "uri-reference") }
    fileprivate static var sample: URL { URL(filePath: "/") }
}

/// A list whose element type is known without decoding.
private protocol SchemaList {
    static var element: any Decodable.Type { get }
    static var empty: Self { get }
}

extension Array: SchemaList where Element: Decodable {
    fileprivate static var element: any Decodable.Type { Element.self }
    fileprivate static var empty: [Element] { [] }
}

extension Set: SchemaList where Element: Decodable {
    fileprivate static var element: any Decodable.Type { Element.self }
    fileprivate static var empty: Set<Element> { [] }
}

/// A dictionary whose value type is known without decoding.
private protocol SchemaMap {
    static var value: any Decodable.Type { get }
    static var empty: Self { get }
}

extension Dictionary: SchemaMap where Key == String, Value: Decodable {
    fileprivate static var value: any Decodable.Type { Value.self }
    fileprivate static var empty: [Key: Value] { [:] }
}

/// An optional that isn't a member of an object but an element of a list: it is encoded as null.
private protocol SchemaOptional {
    static var wrapped: any Decodable.Type { get }
    static var none: Self { get }
}

extension Optional: SchemaOptional where Wrapped: Decodable {
    fileprivate static var wrapped: any Decodable.Type { Wrapped.self }
}
