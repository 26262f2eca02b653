/// A JSON value as it stands on the wire (RFC 8259, restricted to I-JSON, RFC 7493).
///
/// Numbers keep their text, so that a value passes through unchanged. Two values are equal when their canonical
/// forms (RFC 8785) are: `1.0` equals `1`, and strings are compared code point by code point, never by Unicode
/// equivalence.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
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

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { ($0.0, $0.1) }))
    }
    public init(nilLiteral: ()) { self = .null }
}

extension JSONValue {
    /// A whole number.
    public static func integer(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }
}
