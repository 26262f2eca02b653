internal import Records

/// An event of the stream of `GET /v1/events`: something was committed in a space (SyncAPI.docc/Protocol.md, "Live").
public struct ChangeEvent: Sendable, Equatable {
    /// The type of the event in the stream.
    public static let type = "changes"

    /// The space's id.
    public var space: String
    /// The space's cursor after the commit; who holds this cursor has seen it.
    public var cursor: String
    /// Comes back as `Last-Event-ID`; empty if the server gives none.
    public var id: String

    /// An event of these parts.
    public init(space: String, cursor: String, id: String = "") {
        (self.space, self.cursor, self.id) = (space, cursor, id)
    }

    /// The event as in a `text/event-stream` (HTML, section 9.2.5). Ids and cursors need no escaping.
    public var text: String {
        "event: \(Self.type)\nid: \(id)\ndata: {\"cursor\":\"\(cursor)\",\"space\":\"\(space)\"}\n\n"
    }

    /// Reads the data of an event.
    ///
    /// - Throws: `MalformedAnswer`.
    public init(data: String, id: String) throws(MalformedAnswer) {
        let members: JSONObject?
        do { members = try JSONValue(parsing: data).object } catch { throw MalformedAnswer(error.description) }
        guard let space = members?["space"]?.string, let cursor = members?["cursor"]?.string else {
            throw MalformedAnswer("space or cursor is missing")
        }
        self.init(space: space, cursor: cursor, id: id)
    }

    static let schema: BodySchema = .object([.required("space", .identifier), .required("cursor", .cursor)])
        .named("ChangeEvent")
}
