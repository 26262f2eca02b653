public import Records

/// The form of a JSON value on the wire, as a subset of JSON Schema (2020-12).
///
/// Each body has one. The server uses it to check the bodies that it receives (`errors`), and the OpenAPI document to
/// describe them (`json`).
public struct BodySchema: Sendable {
    /// The form in words, as the end of a sentence: "a string".
    public let words: String
    let form: Form

    indirect enum Form: Sendable {
        case any, boolean
        case integer(minimum: Int64?, maximum: Int64)
        /// A string: its description in the document, and the check, which may be stricter.
        case string(StringForm, isValid: @Sendable (String) -> Bool)
        case constant(JSONValue)
        case enumeration([String])
        case array(BodySchema, maximum: Int?)
        /// An object with any names, and values of one form; errors are reported for the whole object. The document
        /// excludes some names, which are refused later, with a problem of their own.
        case map(BodySchema, excluded: [String] = [])
        case object(ObjectForm)
        case oneOf([BodySchema])
        case anyOf([BodySchema])
        /// A schema with its own name in the document.
        case named(String, BodySchema)
    }

    /// What the document says about a string. Every valid string has this form; a valid string may need more.
    struct StringForm: Sendable {
        /// A regular expression (ECMA 262).
        var pattern: String?
        /// The name of the form (JSON Schema validation, section 7).
        var format: String?
        /// The number of characters (Unicode code points).
        var length: ClosedRange<Int>?
    }

    /// The members of an object.
    struct ObjectForm: Sendable {
        var members: [Member]
        /// The names of which exactly one must be present.
        var alternatives: [String] = []
        var others = Others.ignored
    }

    /// The treatment of members that the schema doesn't name.
    public enum Others: Sendable, Equatable {
        /// A receiver ignores them; a sender sends none.
        case ignored
        /// They are allowed under any names, such as the extensions of a problem.
        case allowed
        /// They are an error, with this detail.
        case refused(String)
    }

    /// A member of an object.
    public struct Member: Sendable {
        let name: String
        let schema: BodySchema
        let isRequired: Bool

        /// Creates a member that must be present.
        public static func required(_ name: String, _ schema: BodySchema) -> Member {
            Member(name: name, schema: schema, isRequired: true)
        }

        /// Creates a member that may be missing.
        public static func optional(_ name: String, _ schema: BodySchema) -> Member {
            Member(name: name, schema: schema, isRequired: false)
        }
    }
}

// MARK: - Making

extension BodySchema {
    /// Any JSON value.
    public static let any = BodySchema(words: "any value", form: .any)
    /// `true` or `false`.
    public static let boolean = BodySchema(words: "true or false", form: .boolean)
    /// Any string.
    public static let string = BodySchema(words: "a string", form: .string(StringForm()) { _ in true })
    /// An object with any members.
    public static let anyObject = BodySchema(words: "an object", form: .map(.any))
    /// An object of a record's fields. The name `*` stands for all fields in clocks.
    static let fields = BodySchema(words: "an object", form: .map(.any, excluded: ["*"]))
    /// `null`.
    public static let null = BodySchema(words: "null", form: .constant(.null))

    /// Returns the schema of a string of a certain form.
    ///
    /// - Parameters:
    ///   - words: The form in words, as the end of a sentence.
    ///   - pattern: A regular expression (ECMA 262) for the document; every valid string matches it.
    ///   - format: The name of the form, for the document.
    ///   - length: The number of Unicode code points, for the document; every valid string has so many.
    ///   - isValid: Returns whether a string has the form.
    public static func string(
        _ words: String, pattern: String? = nil, format: String? = nil, length: ClosedRange<Int>? = nil,
        isValid: @escaping @Sendable (String) -> Bool = { _ in true }
    ) -> BodySchema {
        let form = StringForm(pattern: pattern, format: format, length: length)
        return BodySchema(words: words, form: .string(form, isValid: isValid))
    }

    /// Returns the schema of one of these strings.
    public static func string(oneOf values: [String]) -> BodySchema {
        BodySchema(words: values.joined(separator: ", "), form: .enumeration(values))
    }

    /// The largest whole number that every reader of JSON represents exactly (RFC 7493 section 2.2).
    public static let largestInteger: Int64 = 9_007_199_254_740_991

    /// Returns the schema of a whole number, by default one of at most `largestInteger`.
    public static func integer(
        _ words: String = "a whole number", minimum: Int64? = 0, maximum: Int64 = Self.largestInteger
    ) -> BodySchema {
        BodySchema(words: words, form: .integer(minimum: minimum, maximum: maximum))
    }

    /// Returns the schema of exactly this value.
    public static func constant(_ value: JSONValue) -> BodySchema {
        BodySchema(words: value.text, form: .constant(value))
    }

    /// Returns the schema of an array with elements of one form.
    public static func array(of element: BodySchema, maximum: Int? = nil) -> BodySchema {
        BodySchema(words: "an array", form: .array(element, maximum: maximum))
    }

    /// Returns the schema of an object with any names, and values of one form.
    public static func map(of value: BodySchema, _ words: String) -> BodySchema {
        BodySchema(words: words, form: .map(value))
    }

    /// Returns the schema of an object.
    ///
    /// - Parameters:
    ///   - members: The members.
    ///   - alternatives: The names of members of which exactly one must be present.
    ///   - others: The treatment of members with other names.
    public static func object(
        _ members: [Member], exactlyOneOf alternatives: [String] = [], others: Others = .ignored
    ) -> BodySchema {
        BodySchema(
            words: "an object",
            form: .object(ObjectForm(members: members, alternatives: alternatives, others: others)))
    }

    /// Returns the schema of a value that has exactly one of these forms.
    public static func oneOf(_ schemas: [BodySchema]) -> BodySchema {
        BodySchema(words: schemas.map(\.words).joined(separator: " or "), form: .oneOf(schemas))
    }

    /// Returns the schema of a value that has at least one of these forms.
    public static func anyOf(_ schemas: [BodySchema]) -> BodySchema {
        BodySchema(words: schemas.map(\.words).joined(separator: " or "), form: .anyOf(schemas))
    }

    /// Returns the same form with a name, which the document describes once.
    public func named(_ name: String) -> BodySchema { BodySchema(words: words, form: .named(name, self)) }
}

// MARK: - As JSON Schema

extension BodySchema {
    /// Returns the schema as JSON Schema. Schemas with a name become references, and are added to `components`.
    package func json(components: inout [String: JSONValue]) -> JSONValue {
        switch form {
        // The empty schema accepts every value (JSON Schema 2020-12, core, section 4.3.2).
        case .any: [:]
        case .boolean: ["type": "boolean"]
        case .integer(let minimum, let maximum):
            described("integer", [("minimum", minimum.map(JSONValue.integer)), ("maximum", .integer(maximum))])
        case .string(let form, _):
            described(
                "string",
                [
                    ("pattern", form.pattern.map(JSONValue.string)), ("format", form.format.map(JSONValue.string)),
                    ("minLength", form.length.map { .integer(Int64($0.lowerBound)) }),
                    ("maxLength", form.length.map { .integer(Int64($0.upperBound)) }),
                ])
        case .constant(let value): ["const": value]
        case .enumeration(let values): ["type": "string", "enum": .array(values.map(JSONValue.string))]
        case .array(let element, let maximum):
            .object(
                Self.members([
                    ("type", "array"), ("items", element.json(components: &components)),
                    ("maxItems", maximum.map { .integer(Int64($0)) }),
                ]))
        case .map(let value, let excluded):
            .object(
                Self.members([
                    ("type", "object"), ("additionalProperties", value.json(components: &components)),
                    (
                        "propertyNames",
                        excluded.isEmpty ? nil : ["not": ["enum": .array(excluded.map(JSONValue.string))]]
                    ),
                ]))
        case .object(let object): object.json(components: &components)
        case .oneOf(let schemas): ["oneOf": .array(schemas.map { $0.json(components: &components) })]
        case .anyOf(let schemas): ["anyOf": .array(schemas.map { $0.json(components: &components) })]
        case .named(let name, let schema): reference(to: name, schema, &components)
        }
    }

    private func reference(
        to name: String, _ schema: BodySchema, _ components: inout [String: JSONValue]
    ) -> JSONValue {
        // A schema is a value and can't contain itself, so the recursion ends.
        if components[name] == nil { components[name] = schema.json(components: &components) }
        return ["$ref": .string("#/components/schemas/\(name)")]
    }

    private func described(_ type: String, _ members: [(String, JSONValue?)]) -> JSONValue {
        .object(Self.members(members + [("type", .string(type)), ("description", .string(words))]))
    }

    fileprivate static func members(_ members: [(String, JSONValue?)]) -> JSONObject {
        JSONObject(members.compactMap { name, value in value.map { (name, $0) } })
    }
}

extension BodySchema.ObjectForm {
    fileprivate func json(components: inout [String: JSONValue]) -> JSONValue {
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        let properties = members.map { ($0.name, $0.schema.json(components: &components)) }
        let alternatives = alternatives.map { name -> JSONValue in ["required": [.string(name)]] }
        let additional: JSONValue? =
            switch others {
            // Not `false`: a client that validates with it would refuse the new members of a later version.
            case .ignored: nil
            case .allowed: true
            case .refused: false
            }
        return .object(
            BodySchema.members([
                ("type", "object"), ("properties", .object(JSONObject(properties))),
                ("required", required.isEmpty ? nil : .array(required)),
                ("oneOf", alternatives.isEmpty ? nil : .array(alternatives)), ("additionalProperties", additional),
            ]))
    }
}
