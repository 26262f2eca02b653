/// Typed access to a record's fields. A value of another shape reads as absent and stays as it is.
extension JSONObject {
    /// A text field; setting nil removes it.
    subscript(text name: String) -> String? {
        get { self[name]?.string }
        set { self[name] = newValue.map(JSONValue.string) }
    }

    /// A moment (RFC 3339 on the wire); setting nil removes it.
    subscript(time name: String) -> Timestamp? {
        get { self[name]?.string.flatMap { Timestamp($0) } }
        set { self[name] = newValue.map { .string($0.description) } }
    }

    /// A set of texts, in the order in which it is stored; setting an empty one removes the field.
    subscript(texts name: String) -> [String] {
        get { self[name]?.array?.compactMap(\.string) ?? [] }
        set { self[name] = newValue.isEmpty ? nil : .array(newValue.map(JSONValue.string)) }
    }
}
