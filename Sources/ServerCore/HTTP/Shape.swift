internal import Records
internal import SyncAPI

/// What is wrong with a body's shape, and where (RFC 6901 pointer).
struct ShapeError: Sendable, Equatable {
    var pointer: String
    var detail: String

    var json: JSONValue { ["pointer": .string(pointer), "detail": .string(detail)] }
}

/// Reads the members of a JSON object and gathers what is wrong, up to a bound.
///
/// Each reader returns nil where something is wrong; `finish` then throws it all as one problem.
struct Shape: ~Copyable {
    private(set) var errors: [ShapeError] = []
    /// More errors than this help nobody.
    private static let bound = 20

    init() {}

    /// Takes note of an error.
    mutating func wrong(_ pointer: String, _ detail: String) {
        if errors.count < Self.bound { errors.append(ShapeError(pointer: pointer, detail: detail)) }
    }

    /// A member that must be an object.
    mutating func object(_ value: JSONValue?, _ pointer: String) -> JSONObject? {
        required(value, pointer, "an object", \.object)
    }

    /// A member that must be a string.
    mutating func string(_ value: JSONValue?, _ pointer: String) -> String? {
        required(value, pointer, "a string", \.string)
    }

    /// A member that may be absent, and must be a string if it isn't.
    mutating func optionalString(_ value: JSONValue?, _ pointer: String) -> String? {
        value.flatMap { string($0, pointer) }
    }

    /// A member that must be something which `read` understands; `what` names it.
    mutating func required<Value>(
        _ value: JSONValue?, _ pointer: String, _ what: String, _ read: (JSONValue) -> Value?
    ) -> Value? {
        guard let value else {
            wrong(pointer, "is missing; it should be \(what)")
            return nil
        }
        guard let result = read(value) else {
            wrong(pointer, "should be \(what)")
            return nil
        }
        return result
    }

    /// - Throws: `Problem` 422 if anything was wrong.
    func finish() throws(Problem) {
        if !errors.isEmpty { throw .invalidBody(errors) }
    }

    /// The value, if all was well; a nil without an error would be a fault of ours and is told as one.
    consuming func finish<Value>(_ value: Value?) throws(Problem) -> Value {
        try finish()
        guard let value else { throw .internalError }
        return value
    }
}
