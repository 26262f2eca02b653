/// A JSON value as it is on the wire (RFC 8259, restricted to I-JSON, RFC 7493).
///
/// Numbers keep their text, so that a value passes through unchanged. Two values are equal when their canonical
/// forms (RFC 8785) are: `1.0` equals `1`, and strings are compared code point by code point, never by Unicode
/// equivalence.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, with its text.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Members without order.
    case object(JSONObject)
}

extension JSONValue {
    /// The text of a string, else nil.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The elements of an array, else nil.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object, else nil.
    public var object: JSONObject? {
        if case .object(let members) = self { members } else { nil }
    }

    /// A boolean, else nil.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// A number that is a whole number in the range of `Int64`, else nil.
    public var integer: Int64? {
        if case .number(let number) = self { number.integer } else { nil }
    }

    /// A number as a binary64 (the precision I-JSON promises), else nil.
    public var double: Double? {
        if case .number(let number) = self { number.double } else { nil }
    }

    /// Whether this is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension JSONValue: Equatable {
    /// Whether both have the same canonical form (RFC 8785).
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.number(let a), .number(let b)): a == b
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }
}

// No literal for null: `nil` must always mean that there is no value, never that there is a null.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; of members with one name, the last stays.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { ($0.0, $0.1) }))
    }
}

extension JSONValue {
    /// A whole number.
    public static func integer(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON.
    public var description: String { text }
}

extension JSONValue {
    /// How deep arrays and objects may be nested.
    public static let maximumDepth = 64

    /// Parses I-JSON: strict RFC 8259, and (RFC 7493) valid UTF-8, no duplicate names, no lone surrogates, no number
    /// beyond binary64; nothing nested deeper than `maximumDepth`, no byte order mark.
    ///
    /// - Parameter maximumValues: the largest number of values that the text may contain, counted at every depth.
    /// - Throws: `JSONError`, which names the reason and the byte.
    public init(parsing bytes: some Sequence<UInt8>, maximumValues: Int = .max) throws(JSONError) {
        let parsed =
            bytes.withContiguousStorageIfAvailable { Self.parse($0, maximumValues) }
            ?? Array(bytes).withUnsafeBufferPointer { Self.parse($0, maximumValues) }
        self = try parsed.get()
    }

    /// Parses I-JSON from a text.
    public init(parsing text: String) throws(JSONError) {
        var text = text
        self = try text.withUTF8 { Self.parse($0, .max) }.get()
    }

    private static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, _ maximumValues: Int
    ) -> Result<JSONValue, JSONError> {
        Result { () throws(JSONError) in
            var parser = JSONParser(bytes: bytes, maximumValues: maximumValues)
            return try parser.document()
        }
    }
}
