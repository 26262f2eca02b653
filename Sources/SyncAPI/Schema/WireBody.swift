internal import Foundation
public import Records

/// A small body that is encoded and decoded by its `Codable` conformance.
public protocol WireBody: Codable, Sendable {
    /// The form of the body.
    static var schema: BodySchema { get }
}

extension WireBody {
    /// Reads a body that a client sent.
    ///
    /// - Throws: `Problem` 422 if it has another form.
    public init(checking json: JSONValue) throws(Problem) {
        let errors = Self.schema.errors(in: json)
        if !errors.isEmpty { throw .invalidBody(errors) }
        // Members that the schema doesn't name are not decoded: a decoder hashes names as texts, which takes quadratic
        // time for runs of combining marks in an untrusted name.
        do { self = try JSONBody.decode(Self.self, from: Array(Self.schema.selecting(json).text.utf8)) } catch {
            throw .invalidBody([BodyError("", "should be \(Self.schema.words)")])
        }
    }
}

/// Encodes and decodes bodies by `Codable`.
public enum JSONBody {
    /// Returns the JSON text of a value, with members in the order of their names.
    ///
    /// - Throws: An error of the encoder.
    public static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        // Without `.sortedKeys`, the order of members varies between two runs.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    /// Returns the value of a JSON text.
    ///
    /// - Throws: An error of the decoder.
    public static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }
}

extension BodySchema {
    /// Returns the value with only those members of objects that the schema names.
    fileprivate func selecting(_ value: JSONValue) -> JSONValue {
        switch form {
        case .object(let object):
            let members = object.members.compactMap { member in
                value.object?[member.name].map { (member.name, member.schema.selecting($0)) }
            }
            return .object(JSONObject(members))
        case .array(let element, _): return .array((value.array ?? []).map(element.selecting))
        case .named(_, let schema): return schema.selecting(value)
        case .any, .boolean, .integer, .string, .constant, .enumeration, .map, .oneOf, .anyOf: return value
        }
    }
}
