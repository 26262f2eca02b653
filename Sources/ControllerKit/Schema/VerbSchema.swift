/// The JSON Schema (draft 2020-12) of a verb's arguments.
public struct VerbSchema: Encodable, Sendable, Equatable {
    /// The JSON type, always an object.
    public let type = "object"
    /// The arguments, by name.
    public let properties: [String: ArgumentSchema]
    /// The names of the required arguments, in the order of the line.
    public let required: [String]
    /// Other members are refused.
    public let additionalProperties = false

    private enum CodingKeys: CodingKey { case type, properties, required, additionalProperties }
}

/// The JSON Schema of one argument.
public struct ArgumentSchema: Encodable, Sendable, Equatable {
    /// The JSON type.
    public let type: String
    /// The argument's help.
    public let description: String?
    /// The allowed words; nil: any.
    public let `enum`: [String]?
    /// The type of a list's elements; nil: the argument isn't a list.
    public let items: [String: String]?
    /// True for a secret, which is accepted and never returned; otherwise nil.
    public let writeOnly: Bool?
}

extension VerbSignature {
    /// The schema of the arguments in JSON.
    public var schema: VerbSchema {
        VerbSchema(
            properties: Dictionary(arguments.map { ($0.name, $0.schema) }) { first, _ in first },
            required: arguments.filter(\.isRequired).map(\.name))
    }
}

extension ArgumentSpec {
    /// The schema of the argument in JSON.
    public var schema: ArgumentSchema {
        ArgumentSchema(
            type: placement == .rest ? "array" : jsonType,
            description: help.isEmpty ? nil : help,
            enum: placement == .rest ? nil : allowedWords,
            items: placement == .rest ? ["type": jsonType] : nil,
            writeOnly: kind == .secret ? true : nil)
    }

    private var allowedWords: [String]? {
        if case .choice(let words) = kind { words } else { nil }
    }

    private var jsonType: String {
        switch kind {
        case .text, .record, .secret, .contents, .choice: "string"
        case .number: "number"
        case .integer: "integer"
        case .flag: "boolean"
        }
    }
}
