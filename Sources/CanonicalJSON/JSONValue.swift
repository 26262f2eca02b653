/// A JSON value as it is on the wire (RFC 8259, restricted to I-JSON, RFC 7493).
///
/// Numbers keep their text, so that a value passes through unchanged. Two values are equal if their canonical forms
/// (RFC 8785) are: `1.0` equals `1`, and strings are compared code point by code point, never by Unicode equivalence.
public enum JSONValue: Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number, with its text.
    case number(JSONNumber)
    /// A string.
    case string(String)
    /// An array, in order.
    case array([JSONValue])
    /// An object; its members have no order.
    case object(JSONObject)
}

extension JSONValue {
    /// The text of a string; nil for other values.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The elements of an array; nil for other values.
    public var array: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of an object; nil for other values.
    public var object: JSONObject? {
        if case .object(let members) = self { members } else { nil }
    }

    /// The value of a boolean; nil for other values.
    public var bool: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// A number as a whole number; nil if it isn't one in the range of `Int64`, and for other values.
    public var integer: Int64? {
        if case .number(let number) = self { number.integer } else { nil }
    }

    /// A number as a binary64 (the precision of I-JSON); nil for other values.
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
        // `==` of `String` would compare by Unicode equivalence.
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): a == b
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }
}

// There is no literal for null: `nil` always means that there is no value, never a JSON null.
extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Creates a whole number.
    public init(integerLiteral value: Int64) { self = .number(JSONNumber(value)) }
    /// Creates a boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Creates an object; of members with the same name, the last is kept.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { ($0.0, $0.1) }))
    }
}

extension JSONValue {
    /// Returns a whole number.
    public static func integer(_ value: Int64) -> JSONValue { .number(JSONNumber(value)) }
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON.
    public var description: String { text }
}

extension JSONValue {
    /// The largest depth to which arrays and objects may be nested.
    public static let maximumDepth = 64

    /// Parses I-JSON: strict RFC 8259, and (RFC 7493) valid UTF-8, no duplicate names, no lone surrogates, no number
    /// beyond binary64. Nesting deeper than `maximumDepth` and a byte order mark are refused.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8.
    ///   - maximumValues: The largest number of values that the text may contain, counted at every depth.
    /// - Throws: `JSONError`, with the reason and the byte.
    public init(parsing bytes: some Sequence<UInt8>, maximumValues: Int = .max) throws(JSONError) {
        let parsed =
            bytes.withContiguousStorageIfAvailable { Self.parse($0, maximumValues) }
            ?? Array(bytes).withUnsafeBufferPointer { Self.parse($0, maximumValues) }
        self = try parsed.get()
    }

    /// Parses I-JSON from a text, as the initialiser above does, without a bound on the number of values.
    ///
    /// - Throws: `JSONError`, with the reason and the byte.
    public init(parsing text: String) throws(JSONError) {
        var text = text
        self = try text.withUTF8 { Self.parse($0, .max) }.get()
    }

    /// Parses a text whose value is an array, without storing the elements: the memory is that of one element. The
    /// elements are accepted and refused as by the initialisers above.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8.
    ///   - body: Receives each element in order, and the range of its bytes.
    /// - Throws: `JSONError`, after the elements before the error were passed to `body`.
    package static func parseElements(
        of bytes: UnsafeBufferPointer<UInt8>, _ body: (_ element: JSONValue, _ bytes: Range<Int>) -> Void
    ) throws(JSONError) {
        var parser = JSONParser(bytes: bytes)
        try parser.array(body)
    }

    /// Parses a text as the initialisers above do, without storing the elements of one array.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8.
    ///   - name: The member of the object with the array.
    ///   - body: Receives each element of the array in order, and the range of its bytes.
    /// - Returns: The object, in which that array is empty; nil: the value isn't an object.
    /// - Throws: `JSONError`, after the elements before the error were passed to `body`.
    package static func parseObject(
        of bytes: UnsafeBufferPointer<UInt8>, passing name: String,
        to body: (_ element: JSONValue, _ bytes: Range<Int>) -> Void
    ) throws(JSONError) -> JSONObject? {
        var parser = JSONParser(bytes: bytes)
        return try parser.object(passing: name, to: body)
    }

    /// Parses the value of an object's first member, and nothing after it.
    ///
    /// - Parameters:
    ///   - name: The name of the member.
    ///   - bytes: The beginning of a text in UTF-8.
    /// - Returns: The value; nil: the text doesn't begin with an object whose first member has this name and a value.
    package static func firstMember(named name: String, of bytes: UnsafeBufferPointer<UInt8>) -> JSONValue? {
        var parser = JSONParser(bytes: bytes)
        // `try?`: a text with an error up to the end of the value has no such member.
        return try? parser.firstMember(named: name)
    }

    private static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, _ maximumValues: Int
    ) -> Result<JSONValue, JSONError> {
        // A result, since closures that rethrow (`withUTF8`) lose the type of the error.
        Result { () throws(JSONError) in
            var parser = JSONParser(bytes: bytes, maximumValues: maximumValues)
            return try parser.document()
        }
    }
}
