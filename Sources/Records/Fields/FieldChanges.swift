/// The fields that an edit sets and removes. With keys, the compiler checks the types of the values:
///
/// ```swift
/// try await notebook.edit([.set(.rating, 4), .remove(.review)], seen: book)
/// ```
///
/// A form that knows its changes one by one assigns them:
///
/// ```swift
/// var changes = FieldChanges()
/// changes[.rating] = 4
/// changes[.review] = nil
/// ```
public struct FieldChanges: Sendable, Equatable {
    /// The changed fields by name, as a record stores them; `null` removes one.
    public private(set) var json: JSONObject

    /// Creates changes from JSON, for fields without a key.
    ///
    /// - Parameter json: The changed fields by name; `null` removes one.
    public init(json: JSONObject = [:]) { self.json = json }

    /// The new value of a field; nil: the field is removed or isn't changed. Setting nil removes the field.
    public subscript<Value>(key: FieldKey<Value>) -> Value? {
        get { json[key] }
        set { json[key.name] = newValue?.stored ?? .null }
    }
}

extension FieldChanges: ExpressibleByArrayLiteral {
    /// Creates changes of several fields; of two changes of one field, the last is used.
    public init(arrayLiteral changes: Change...) {
        self.init()
        for change in changes { json[change.name] = change.value }
    }

    /// The change of one field.
    public struct Change: Sendable {
        fileprivate let name: String
        fileprivate let value: JSONValue

        /// Gives a field a value. An empty set removes the field.
        public static func set<Value>(_ key: FieldKey<Value>, _ value: Value) -> Change {
            Change(name: key.name, value: value.stored ?? .null)
        }

        /// Removes a field.
        public static func remove<Value>(_ key: FieldKey<Value>) -> Change { Change(name: key.name, value: .null) }
    }
}
