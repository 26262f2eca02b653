package import CanonicalJSON
internal import SafeText

/// A received message (JSON-RPC 2.0). An id is a text or an integer.
package enum Message {
    case request(id: JSONValue, method: String, params: JSONObject)
    case notification(method: String, params: JSONObject)
    /// The answer to a request of this side; nil as the result: the request failed.
    case response(id: JSONValue, result: JSONObject?)

    package init(parsing line: [UInt8]) throws(RPCError) { try self.init(Self.json(of: line)) }

    /// Returns the JSON of a line.
    static func json(of line: [UInt8]) throws(RPCError) -> JSONValue {
        do throws(JSONError) { return try JSONValue(parsing: line) } catch {
            throw RPCError(.parse, "The line is not JSON, at byte \(error.offset).")
        }
    }

    init(_ value: JSONValue) throws(RPCError) {
        let id = value.object?["id"]
        guard let members = value.object, members["jsonrpc"]?.string == "2.0",
            id == nil || id?.string != nil || id?.integer != nil
        else { throw RPCError(.invalidRequest, "A message is an object of JSON-RPC 2.0, its id a text or an integer.") }
        switch (members["method"]?.string, (members["params"] ?? [:]).object, id) {
        case (let method?, let params?, let id?): self = .request(id: id, method: method, params: params)
        case (let method?, let params?, nil): self = .notification(method: method, params: params)
        case (nil, _, let id?) where members["result"] != nil || members["error"] != nil:
            self = .response(id: id, result: members["result"]?.object)
        default: throw RPCError(.invalidRequest, "A request has a method, and perhaps an object of params.", id: id)
        }
    }
}

/// A fault of the protocol as the peer receives it. Its message contains no text of the person.
package struct RPCError: Error {
    package let code: Code
    package let message: String
    var data: JSONValue?
    /// The request that it answers; nil if it is unknown.
    package var id: JSONValue?

    /// The codes of JSON-RPC, and those of the revision 2026-07-28.
    package enum Code: Int64 {
        case parse = -32700, invalidRequest = -32600, methodNotFound = -32601, invalidParams = -32602
        case missingCapability = -32021, unsupportedVersion = -32022
    }

    init(_ code: Code, _ message: String, data: JSONValue? = nil, id: JSONValue? = nil) {
        (self.code, self.message, self.data, self.id) = (code, message, data, id)
    }

    /// Returns the message for the peer, as the answer to the request if it is known.
    package func reply(to request: JSONValue? = nil) -> JSONObject {
        var error: JSONObject = ["code": .integer(code.rawValue), "message": .string(message)]
        error["data"] = data
        var members: JSONObject = ["error": .object(error)]
        members["id"] = request ?? id
        return members
    }
}

/// The supported revisions of the Model Context Protocol, the newest first.
enum Revision: String, CaseIterable {
    /// Each request describes its client and the client's capabilities.
    case stateless = "2026-07-28"
    /// A handshake, `initialize`, describes the client of all later requests, as in all earlier revisions.
    case session = "2025-11-25"
    /// Its forms have no mode.
    case structured = "2025-06-18"
    /// Its results are texts only, it has no forms, and a line may be a batch of messages.
    case batched = "2025-03-26"
    /// As the one above, without batches and without annotations of tools.
    case original = "2024-11-05"

    static let names = JSONValue.array(allCases.map { .string($0.rawValue) })

    /// Returns the revision of a session: the requested one, or the newest with sessions if that is not supported.
    init(requested name: String) {
        let revision = Revision(rawValue: name) ?? .session
        self = revision.hasSessions ? revision : .session
    }

    /// Whether `initialize` begins a session, in which the server sends requests, too.
    var hasSessions: Bool { self != .stateless }
    /// Whether the forms that a host shows have a mode.
    var hasFormModes: Bool { isAtLeast(.session) }
    /// Whether hosts can show forms.
    var hasForms: Bool { isAtLeast(.structured) }
    /// Whether results have `structuredContent`, and tools a schema of it.
    var hasStructuredContent: Bool { isAtLeast(.structured) }
    /// Whether tools have annotations.
    var hasAnnotations: Bool { isAtLeast(.batched) }
    /// Whether a line may be a batch of messages.
    var hasBatches: Bool { self == .batched }

    // Revisions are named by dates.
    private func isAtLeast(_ other: Revision) -> Bool { rawValue >= other.rawValue }
}

/// The client of a request, as it describes itself, and the revision of its answer.
package struct MessageSender: Sendable {
    let revision: Revision
    /// The client's name for itself: one line without unsafe characters, of at most 64 scalars. It isn't verified.
    package let name: String
    /// Whether its host can show the person a form.
    let canAsk: Bool

    /// The actor of its calls in the journal.
    var actor: String { "mcp (\(name))" }

    /// The prefix of the protocol's names in `_meta`.
    private static let prefix = "io.modelcontextprotocol/"

    /// Parses the client of a request; nil: the request doesn't describe its client.
    /// - Throws: `RPCError` for an unsupported revision and for a missing member.
    package init?(params: JSONObject) throws(RPCError) {
        guard let meta = params["_meta"]?.object, let version = meta[Self.prefix + "protocolVersion"] else {
            return nil
        }
        guard version.string == Revision.stateless.rawValue else {
            let data: JSONValue = ["supported": Revision.names, "requested": .string(version.string ?? "")]
            throw RPCError(.unsupportedVersion, "Unsupported protocol version.", data: data)
        }
        guard let capabilities = meta[Self.prefix + "clientCapabilities"]?.object else {
            throw RPCError(.invalidParams, "_meta has no \(Self.prefix)clientCapabilities.")
        }
        self.init(.stateless, meta[Self.prefix + "clientInfo"], capabilities)
    }

    /// Parses the client of a session from the params of `initialize`.
    /// - Throws: `RPCError` for a missing member.
    package init(initialize params: JSONObject) throws(RPCError) {
        guard let version = params["protocolVersion"]?.string, let capabilities = params["capabilities"]?.object else {
            throw RPCError(.invalidParams, "initialize needs protocolVersion, capabilities and clientInfo.")
        }
        self.init(Revision(requested: version), params["clientInfo"], capabilities)
    }

    private init(_ revision: Revision, _ info: JSONValue?, _ capabilities: JSONObject) {
        self.revision = revision
        // An empty object means forms (all revisions with forms, Elicitation, "Capabilities").
        let elicitation = revision.hasForms ? capabilities["elicitation"]?.object : nil
        canAsk = elicitation.map { $0.isEmpty || $0["form"]?.object != nil } ?? false
        let words = info?.object?["name"]?.string?.sanitized.split(whereSeparator: \.isWhitespace) ?? []
        let line = String(words.joined(separator: " ").unicodeScalars.prefix(64))
        name = line.isEmpty ? "unnamed" : line
    }

    /// Returns a result with the members that the revision requires.
    /// - Parameter isKept: Whether the client may cache it: the tools don't change while the process runs.
    func result(
        _ members: JSONObject, from server: JSONValue, type: String = "complete", isKept: Bool = false
    ) -> JSONObject {
        guard revision == .stateless else { return members }
        let kept: JSONObject = isKept ? ["ttlMs": 300_000, "cacheScope": "private"] : [:]
        return members.adding(["resultType": .string(type), "_meta": [Self.prefix + "serverInfo": server]]).adding(kept)
    }
}
