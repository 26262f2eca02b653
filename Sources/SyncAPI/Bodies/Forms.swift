internal import Records

/// The forms of strings and numbers that several bodies contain.
extension BodySchema {
    static let version = integer("a version: a whole number, 0 or more")
    static let count = integer("a count: a whole number, 0 or more")
    static let identifier = string("an id: [A-Za-z0-9_-]{1,64}", pattern: "^[A-Za-z0-9_-]{1,64}$") {
        RecordKey.isIdentifier($0)
    }
    static let collection = string("a collection: [a-z][a-z0-9-]{0,63}", pattern: "^[a-z][a-z0-9-]{0,63}$") {
        RecordKey.isCollection($0)
    }
    static let moment = string(
        "a time: RFC 3339 in UTC with milliseconds",
        pattern: #"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$"#)
    static let cursor = string("a cursor, opaque to clients")
    static let digest = string("a digest: 32 hex digits", pattern: "^[0-9a-f]{32}$") { SpaceDigest($0) != nil }
    static let clock = string(
        "<12 hex digits of unix ms>-<4 hex digits>-<device id>",
        pattern: "^[0-9a-f]{12}-[0-9a-f]{4}-[A-Za-z0-9_-]{1,64}$"
    ) { HLC($0) != nil }
    static let clocks = map(of: clock, "an object of clocks, each \(clock.words)").named("Clocks")
    // The pattern accepts capitals, which `Username` lowers.
    static let username = string(
        "1 to 64 characters of a-z, 0-9, '.', '_' and '-', the first a letter or digit",
        pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"
    ) { Username($0) != nil }
    // The lengths are those that no valid text exceeds: a document can't limit the bytes of a text.
    static let newPassword = string(
        "at least 8 characters and at most 1,024 bytes", format: "password",
        length: 1...4 * Limits.passwordBytes.upperBound
    ) { Password(new: $0) != nil }
    static let deviceName = string(
        "a name: \(DeviceName.bytes.lowerBound) to \(DeviceName.bytes.upperBound) bytes without line breaks and other "
            + "control characters", format: "device-name", length: DeviceName.bytes
    ) { DeviceName.isValid($0) }
    static let entityTags = string(
        "an entity tag, several separated by commas, or *",
        pattern: #"^(?:\*|[ \t,]*(?:W/)?"[^\x00-\x20"\x7F]*"(?:[ \t]*,[ \t,]*(?:W/)?"[^\x00-\x20"\x7F]*")*[ \t,]*)$"#)
    static let scope = string(oneOf: AccessScope.allCases.map(\.rawValue))
    static let role = string(oneOf: Role.allCases.map(\.rawValue))
}

extension Username {
    /// Checks the user name of a body.
    ///
    /// - Parameters:
    ///   - text: The name.
    ///   - pointer: Its place in the body (RFC 6901), for the problem.
    /// - Throws: `Problem` 422 if it has another form.
    public init(checking text: String, at pointer: String) throws(Problem) {
        guard let name = Username(text) else {
            throw .invalidBody([BodyError(pointer, "should be \(BodySchema.username.words)")])
        }
        self = name
    }
}

extension Password {
    /// Checks the new password of a body.
    ///
    /// - Parameters:
    ///   - text: The password.
    ///   - pointer: Its place in the body (RFC 6901), for the problem.
    /// - Throws: `Problem` 422 if it is too short or too long.
    public init(checking text: String, at pointer: String) throws(Problem) {
        guard let password = Password(new: text) else {
            throw .invalidBody([BodyError(pointer, "should be \(BodySchema.newPassword.words)")])
        }
        self = password
    }
}

extension Problem {
    /// The form of a problem; other members are extensions.
    static let schema: BodySchema = .object(
        [
            .required("type", .constant("about:blank")), .required("title", .string),
            .required("status", .integer("an HTTP status", minimum: 400)), .required("code", code),
            .optional("detail", .string), .optional("requestID", .identifier),
            .optional("errors", .array(of: BodyError.schema)),
            .optional("current", .oneOf([RawRecord.schema, .null])), .optional("shared", .version),
            .optional("retryAfter", .count),
        ], others: .allowed
    ).named("Problem")

    private static let code = BodySchema.string(oneOf: Code.all.map(\.code.rawValue)).named("ProblemCode")
}
