public import Records
public import struct Records.Record

/// All fields of a record by their names, as programs receive them; see `FieldCatalog.typed`. Values of computed fields,
/// such as `urgency`, are among them.
public struct TypedFields: Sendable, Equatable {
    /// The values by the names of the fields.
    public var json: JSONObject

    /// Creates fields.
    public init(_ json: JSONObject = [:]) { self.json = json }

    /// Creates the fields of a record.
    ///
    /// - Parameters:
    ///   - catalog: The declared fields.
    ///   - urgency: The urgency of the record; nil: it has none.
    init(_ record: Record, in catalog: FieldCatalog, urgency: Double?) {
        json = catalog.typed(record.fields)
        // The mark of imports isn't a user-visible field.
        json[Record.importMarkField] = nil
        // A stored field of this name belongs to another program and has precedence.
        if json[Urgency.name] == nil, let number = urgency.flatMap({ JSONNumber($0) }) {
            json[Urgency.name] = .number(number)
        }
    }
}

extension TypedFields: Codable {
    public func encode(to encoder: any Encoder) throws {
        try CodedJSON(value: .object(json)).encode(to: encoder)
    }

    public init(from decoder: any Decoder) throws {
        // By the keys, so that the schema is that of an object with any members.
        let members = try decoder.container(keyedBy: CodedJSON.Key.self)
        json = [:]
        for key in members.allKeys { json[key.stringValue] = try members.decode(CodedJSON.self, forKey: key).value }
    }
}

/// A JSON value for the coders of Foundation.
private struct CodedJSON: Codable {
    let value: JSONValue

    struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil

        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.init(stringValue) }
        init?(intValue: Int) { nil }
    }

    init(value: JSONValue) { self.value = value }

    func encode(to encoder: any Encoder) throws {
        switch value {
        case .object(let object):
            var members = encoder.container(keyedBy: Key.self)
            for name in object.sortedNames {
                try members.encodeIfPresent(object[name].map { CodedJSON(value: $0) }, forKey: Key(name))
            }
        case .array(let array):
            var elements = encoder.unkeyedContainer()
            for element in array { try elements.encode(CodedJSON(value: element)) }
        case .null:
            var single = encoder.singleValueContainer()
            try single.encodeNil()
        case .bool(let flag):
            var single = encoder.singleValueContainer()
            try single.encode(flag)
        case .string(let text):
            var single = encoder.singleValueContainer()
            try single.encode(text)
        case .number(let number):
            var single = encoder.singleValueContainer()
            // A whole number without a fraction: `3`, not `3.0`.
            if let whole = number.integer { try single.encode(whole) } else { try single.encode(number.double) }
        }
    }

    init(from decoder: any Decoder) throws {
        // Each ignored error means that the value is of another kind.
        if let members = try? decoder.container(keyedBy: Key.self) {
            var object = JSONObject()
            for key in members.allKeys {
                object[key.stringValue] = try members.decode(CodedJSON.self, forKey: key).value
            }
            value = .object(object)
        } else if var elements = try? decoder.unkeyedContainer() {
            var array: [JSONValue] = []
            while !elements.isAtEnd { array.append(try elements.decode(CodedJSON.self).value) }
            value = .array(array)
        } else {
            let single = try decoder.singleValueContainer()
            if single.decodeNil() {
                value = .null
            } else if let flag = try? single.decode(Bool.self) {
                value = .bool(flag)
            } else if let whole = try? single.decode(Int64.self) {
                value = .integer(whole)
            } else if let number = try? single.decode(Double.self) {
                value = JSONNumber(number).map { .number($0) } ?? .null
            } else {
                value = .string(try single.decode(String.self))
            }
        }
    }
}
