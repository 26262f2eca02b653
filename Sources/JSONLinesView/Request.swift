package import CanonicalJSON
package import ControllerKit

/// A line of the input: `{"id": 1, "verb": "add", "arguments": {…}, "screen": "list"}`. `id`, `screen` and `arguments`
/// may be absent.
package struct Request {
    let id: RequestID?
    package let verb: String
    /// The screen to which the verb belongs.
    package let screen: String
    let answer: VerbSignature.Answer
    let arguments: ArgumentValues

    /// Parses a request.
    ///
    /// - Throws: `Failure` of category `usage` for unknown, missing and wrong members.
    @MainActor
    package init(_ members: JSONObject, id: RequestID?, catalog: Catalog) throws(Failure) {
        // Unknown members are refused: a misspelled one would otherwise be ignored without notice.
        let known: Set = ["id", "verb", "arguments", "screen"]
        if let unknown = members.sortedNames.first(where: { !known.contains($0) }) {
            throw Failure(.usage, "Unknown member “\(unknown)” of a request.")
        }
        guard let verb = members["verb"]?.string else { throw Failure(.usage, "“verb” is missing or not a text.") }
        self.id = id
        self.verb = verb
        let named = members["screen"] ?? .null
        guard named.isNull || named.string != nil else { throw Failure(.usage, "“screen” must be a text.") }
        let command = try catalog.command(verb, on: named.string)
        (screen, answer) = (command.screen, command.verb.answer)
        arguments = try Self.arguments(members["arguments"] ?? [:])
    }

    /// Returns the id of the request that a line cancels; nil: the line isn't a cancellation.
    ///
    /// - Throws: `Failure` of category `usage` for unknown and wrong members.
    package static func cancelled(_ members: JSONObject) throws(Failure) -> RequestID? {
        guard let cancelled = members["cancel"] else { return nil }
        if let other = members.sortedNames.first(where: { !["id", "cancel"].contains($0) }) {
            throw Failure(.usage, "Unknown member “\(other)” of a request to cancel.")
        }
        guard let id = try RequestID(cancelled) else { throw Failure(.usage, "“cancel” must be the id of a request.") }
        return id
    }

    private static func arguments(_ value: JSONValue) throws(Failure) -> ArgumentValues {
        if value.isNull { return [:] }
        guard let members = value.object else { throw Failure(.usage, "“arguments” must be an object.") }
        var values: ArgumentValues = [:]
        // Many encoders write null for an absent value.
        for (name, value) in members where !value.isNull {
            guard let neutral = ArgumentValue(value) else {
                throw Failure(.usage, "\(name) must be a text, a number, true or false, or a list of texts.")
            }
            values[name] = neutral
        }
        return values
    }
}

/// A peer's id of a request: a text or an integer, which is returned unchanged.
package enum RequestID: Encodable, Equatable {
    case text(String)
    case number(Int64)

    /// Parses the id of a request; nil: it is absent or null.
    ///
    /// - Throws: `Failure` of category `usage` if it is neither a text nor an integer.
    package init?(_ value: JSONValue?) throws(Failure) {
        guard let value, !value.isNull else { return nil }
        if let text = value.string {
            self = .text(text)
        } else if let number = value.integer {
            self = .number(number)
        } else {
            throw Failure(.usage, "“id” must be a text or a whole number.")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        }
    }
}

extension ArgumentValue {
    /// Converts a JSON value; nil: no argument has values of this type.
    fileprivate init?(_ value: JSONValue) {
        switch value {
        case .string(let text): self = .text(text)
        case .bool(let flag): self = .flag(flag)
        case .number(let number):
            // An integer beyond `Int` becomes a number, which an argument for an integer refuses.
            self = number.integer.flatMap { Int(exactly: $0) }.map(ArgumentValue.integer) ?? .number(number.double)
        case .array(let elements):
            let texts = elements.compactMap(\.string)
            guard texts.count == elements.count else { return nil }
            self = .list(texts)
        case .object, .null: return nil
        }
    }
}
