internal import Records

extension Problem {
    /// The form of a problem; other members are its extensions.
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
