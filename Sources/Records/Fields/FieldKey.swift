/// The name of a field with the type of its values, so that a value is read and written by its key: `record[.title]`.
///
/// A value of another shape is read as nil and kept in the record.
public struct FieldKey<Value: FieldValue>: Sendable, Hashable {
    /// The field's name in a record.
    public let name: String

    /// Creates a key for the field of this name.
    public init(_ name: String) { self.name = name }
}

/// A type of values of a field.
public protocol FieldValue: Sendable {
    /// Reads a field's value; nil if it has another shape.
    static func read(_ json: JSONValue) -> Self?

    /// The value as a record stores it; nil removes the field.
    var stored: JSONValue? { get }

    /// The kind of a field with such values, unless its declaration has another one.
    static var kind: FieldKind { get }
}

extension JSONObject {
    /// A field's value; setting nil removes the field.
    public subscript<Value>(key: FieldKey<Value>) -> Value? {
        get { self[key.name].flatMap(Value.read) }
        set { self[key.name] = newValue?.stored }
    }
}

extension Record {
    /// A field's value; nil if it is missing or has another shape.
    public subscript<Value>(key: FieldKey<Value>) -> Value? { fields[key] }
}

// MARK: - Types of values

extension String: FieldValue {
    public static func read(_ json: JSONValue) -> String? { json.string }
    public var stored: JSONValue? { .string(self) }
    public static var kind: FieldKind { .word }
}

extension Double: FieldValue {
    public static func read(_ json: JSONValue) -> Double? { json.double }
    public var stored: JSONValue? { JSONNumber(self).map(JSONValue.number) }
    public static var kind: FieldKind { .number }
}

extension Bool: FieldValue {
    public static func read(_ json: JSONValue) -> Bool? { json.bool }
    public var stored: JSONValue? { .bool(self) }
    public static var kind: FieldKind { .flag }
}

/// A time, as RFC 3339 on the wire.
extension Timestamp: FieldValue {
    public static func read(_ json: JSONValue) -> Timestamp? { json.string.flatMap { Timestamp($0) } }
    public var stored: JSONValue? { .string(description) }
    public static var kind: FieldKind { .moment }
}

/// A day or a time, as `DateValue` describes it.
extension DateValue: FieldValue {
    public static func read(_ json: JSONValue) -> DateValue? { json.string.flatMap { DateValue($0) } }
    public var stored: JSONValue? { .string(description) }
    public static var kind: FieldKind { .date }
}

/// A type of elements of a set.
public protocol FieldElement: Sendable {
    /// Reads an element; nil if it has another shape.
    static func element(_ json: JSONValue) -> Self?

    /// The element as a record stores it.
    var storedElement: JSONValue { get }

    /// The kind of a field with a set of such elements.
    static var setKind: FieldKind { get }
}

/// A set, in the order in which it is stored. An empty set removes the field. Elements of another shape are skipped
/// when reading.
extension Array: FieldValue where Element: FieldElement {
    public static func read(_ json: JSONValue) -> [Element]? { json.array?.compactMap(Element.element) }
    public var stored: JSONValue? { isEmpty ? nil : .array(map(\.storedElement)) }
    public static var kind: FieldKind { Element.setKind }
}

extension String: FieldElement {
    public static func element(_ json: JSONValue) -> String? { json.string }
    public var storedElement: JSONValue { .string(self) }
    public static var setKind: FieldKind { .words }
}

extension FieldValue where Self: RawRepresentable<String> {
    public static func read(_ json: JSONValue) -> Self? { json.string.flatMap(Self.init) }
    public var stored: JSONValue? { .string(rawValue) }
}

extension FieldValue where Self: RawRepresentable<String> & CaseIterable {
    public static var kind: FieldKind { .choice(allCases.map { Choice($0.rawValue) }) }
}
