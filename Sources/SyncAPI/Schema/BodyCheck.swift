public import Records

/// An error in a body, with its place.
public struct BodyError: Sendable, Equatable {
    /// The place in the body (RFC 6901); empty for the body itself.
    public var pointer: String
    /// The problem at this place.
    public var detail: String

    /// Creates an error.
    public init(_ pointer: String, _ detail: String) {
        self.pointer = pointer
        self.detail = detail
    }

    /// The error as a member of `errors` of a problem.
    public var json: JSONValue { ["pointer": .string(pointer), "detail": .string(detail)] }

    static let schema: BodySchema = .object([.required("pointer", .string), .required("detail", .string)])
        .named("BodyError")
}

/// The errors of a body. Only the first ones are kept, since more don't help the user.
struct BodyErrors {
    private(set) var errors: [BodyError] = []
    // Bounds the answer, too: a body of 200,000 invalid values would otherwise be answered with as many errors.
    private static let maximum = 20

    mutating func add(_ pointer: String, _ detail: String) {
        if errors.count < Self.maximum { errors.append(BodyError(pointer, detail)) }
    }

    /// Throws the errors.
    ///
    /// - Throws: `Problem` 422 if there are any.
    func finish() throws(Problem) {
        if !errors.isEmpty { throw .invalidBody(errors) }
    }
}

extension BodySchema {
    /// Returns the errors of a value, at most 20.
    public func errors(in value: JSONValue) -> [BodyError] {
        var errors = BodyErrors()
        check(value, at: "", &errors)
        return errors.errors
    }

    /// Checks a value and adds its errors.
    func check(_ value: JSONValue, at pointer: String, _ errors: inout BodyErrors) {
        switch form {
        case .object(let object):
            guard let members = value.object else { return errors.add(pointer, "should be \(words)") }
            object.check(members, at: pointer, &errors)
        case .array(let element, let maximum):
            guard let elements = value.array else { return errors.add(pointer, "should be \(words)") }
            if let maximum, elements.count > maximum {
                return errors.add(pointer, "there may be at most \(maximum), not \(elements.count)")
            }
            for (index, value) in elements.enumerated() { element.check(value, at: "\(pointer)/\(index)", &errors) }
        case .named(_, let schema): schema.check(value, at: pointer, &errors)
        case .any, .boolean, .integer, .string, .constant, .enumeration, .map, .oneOf, .anyOf:
            if !allows(value) { errors.add(pointer, "should be \(words)") }
        }
    }

    private func allows(_ value: JSONValue) -> Bool {
        switch form {
        case .any: true
        case .boolean: value.bool != nil
        case .integer(let minimum, let maximum):
            value.integer.map { $0 >= minimum ?? .min && $0 <= maximum } ?? false
        case .string(_, let isValid): value.string.map(isValid) ?? false
        case .constant(let constant): value == constant
        case .enumeration(let values):
            // By bytes: `==` of `String` would accept canonically equivalent texts.
            value.string.map { text in values.contains { $0.utf8.elementsEqual(text.utf8) } } ?? false
        case .map(let schema, _): value.object?.allSatisfy { schema.allows($0.value) } ?? false
        // Exactly one, as in JSON Schema.
        case .oneOf(let schemas): schemas.count { $0.allows(value) } == 1
        case .anyOf(let schemas): schemas.contains { $0.allows(value) }
        case .named(_, let schema): schema.allows(value)
        case .object, .array: errors(in: value).isEmpty
        }
    }
}

extension BodySchema.ObjectForm {
    fileprivate func check(_ values: JSONObject, at pointer: String, _ errors: inout BodyErrors) {
        for member in members {
            let place = "\(pointer)/\(member.name)"
            if let value = values[member.name] {
                member.schema.check(value, at: place, &errors)
            } else if member.isRequired {
                errors.add(place, "is missing; it should be \(member.schema.words)")
            }
        }
        if !alternatives.isEmpty, alternatives.count(where: { values[$0] != nil }) != 1 {
            errors.add(pointer, "should have either \(alternatives.joined(separator: " or "))")
        }
        guard case .refused(let detail) = others else { return }
        // In sorted order, so that the same body always has the same answer.
        for name in values.sortedNames where !members.contains(where: { JSONName($0.name) == JSONName(name) }) {
            errors.add("\(pointer)/\(name)", detail)
        }
    }
}

extension Problem {
    /// Returns 422: a body of the wrong form; `errors` contains the places.
    public static func invalidBody(_ errors: [BodyError]) -> Problem {
        Problem(
            status: 422, code: .invalidBody, title: "The body has the wrong shape",
            detail: errors.first.map { "\($0.pointer.isEmpty ? "the body" : $0.pointer): \($0.detail)" },
            extensions: ["errors": .array(errors.map(\.json))])
    }
}
