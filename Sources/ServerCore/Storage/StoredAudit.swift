internal import Records

/// What a command of the server's owner has done, until a running server writes it to its log (`AuditRelay`). It is stored
/// in the transaction of the change, so that neither exists without the other.
public struct StoredAudit: Sendable, Equatable {
    /// The event's name, as in the log.
    public var event: String
    /// The moment of the command, in milliseconds since 1970.
    public var at: Int64
    /// The fields of the line in the log. None is a secret.
    public var fields: [String: String]

    /// Creates an event of these parts.
    public init(event: String, at: Int64, fields: [String: String]) {
        self.event = event
        self.at = at
        self.fields = fields
    }

    /// Number of events that are stored while no server runs; of more, the newest are kept.
    public static let kept = 10_000
}

extension StoredAudit {
    /// The fields as a JSON object of strings, as stores keep them.
    package var fieldsText: String {
        JSONValue.object(JSONObject(fields.map { ($0.key, JSONValue.string($0.value)) })).text
    }

    /// Creates an event of stored values.
    ///
    /// - Throws: If the text isn't JSON.
    package init(event: String, at: Int64, fieldsText: String) throws {
        let members = try JSONValue(parsing: Array(fieldsText.utf8)).object ?? [:]
        let texts = members.sortedNames.map { name in (name, members[name]?.string ?? "") }
        self.init(event: event, at: at, fields: Dictionary(uniqueKeysWithValues: texts))
    }
}
