public import Records

/// The body of a `PUT` or `PATCH` of a record over plain REST.
public enum RecordBody {
    /// The fields of the body of a `PUT`. Other members are the server's and are ignored.
    ///
    /// - Throws: `Problem` 422 if the body has another form.
    public static func replacement(checking json: JSONValue) throws(Problem) -> JSONObject {
        try fields(of: json, replacementSchema)
    }

    /// The fields of the merge patch (RFC 7396) of a `PATCH`.
    ///
    /// - Throws: `Problem` 422 if the body has another form, or members other than `fields`.
    public static func patch(checking json: JSONValue) throws(Problem) -> JSONObject {
        try fields(of: json, patchSchema)
    }

    private static func fields(of json: JSONValue, _ schema: BodySchema) throws(Problem) -> JSONObject {
        let errors = schema.errors(in: json)
        if !errors.isEmpty { throw .invalidBody(errors) }
        return json.object?["fields"]?.object ?? [:]
    }

    static let replacementSchema: BodySchema = .object([.required("fields", .anyObject)])
    static let patchSchema: BodySchema = .object(
        [.optional("fields", .anyObject)], others: .refused("can't be patched; only fields can"))
}
