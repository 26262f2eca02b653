internal import CanonicalJSON
internal import SafeText

/// A message that came in (JSON-RPC 2.0). An id is a text or a whole number.
enum Message {
    case request(id: JSONValue, method: String, params: JSONObject)
    case notification(method: String, params: JSONObject)
    /// The answer to a request of this side; without a result: it failed.
    case response(id: JSONValue, result: JSONObject?)

    init(parsing line: [UInt8]) throws(RPCError) {
        let value: JSONValue
        do throws(JSONError) { value = try JSONValue(parsing: line) } catch {
            throw RPCError(.parse, "The line is not JSON, at byte \(error.offset).")
        }
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

/// A fault of the protocol, as the peer receives it. Its message holds no text of the person's.
struct RPCError: Error {
    let code: Code
    let message: String
    var data: JSONValue?
    /// The request that it answers; nil if it is unknown.
    var id: JSONValue?

    /// The codes of JSON-RPC, and those of the revision 2026-07-28.
    enum Code: Int64 {
        case parse = -32700, invalidRequest = -32600, methodNotFound = -32601, invalidParams = -32602
        case missingCapability = -32021, unsupportedVersion = -32022
    }

    init(_ code: Code, _ message: String, data: JSONValue? = nil, id: JSONValue? = nil) {
        (self.code, self.message, self.data, self.id) = (code, message, data, id)
    }

    /// The message that reports it, as the answer to a request if it is known to which.
    func reply(to request: JSONValue? = nil) -> JSONObject {
        var error: JSONObject = ["code": .integer(code.rawValue), "message": .string(message)]
        error["data"] = data
        var members: JSONObject = ["error": .object(error)]
        members["id"] = request ?? id
        return members
    }
}

/// The revisions of the Model Context Protocol that are spoken.
enum Revision: String, CaseIterable {
    /// Each request says who asks, and what that client can do.
    case stateless = "2026-07-28"
    /// A handshake, `initialize`, says it for all requests that follow.
    case session = "2025-11-25"

    static let names = JSONValue.array(allCases.map { .string($0.rawValue) })
}

/// The client that sent a request, as it describes itself, and the revision by which it is answered.
struct Caller: Sendable {
    let revision: Revision
    /// What the client calls itself: one line, safe to show, and short.
    let name: String
    /// Whether its host can show the person a form.
    let canAsk: Bool

    /// Who carries out a call, as the journal names it.
    var actor: String { "mcp (\(name))" }

    /// What the protocol's names in `_meta` begin with.
    private static let prefix = "io.modelcontextprotocol/"

    /// The client of a request that describes it; nil: the request does not.
    ///
    /// - Throws: `RPCError` for a revision that is not spoken, and where a required member is missing.
    init?(params: JSONObject) throws(RPCError) {
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

    /// The client of a session, by the params of `initialize`.
    ///
    /// - Throws: `RPCError` where a required member is missing.
    init(initialize params: JSONObject) throws(RPCError) {
        guard params["protocolVersion"]?.string != nil, let capabilities = params["capabilities"]?.object else {
            throw RPCError(.invalidParams, "initialize needs protocolVersion, capabilities and clientInfo.")
        }
        self.init(.session, params["clientInfo"], capabilities)
    }

    private init(_ revision: Revision, _ info: JSONValue?, _ capabilities: JSONObject) {
        self.revision = revision
        // An empty object means forms (both revisions, Elicitation, "Capabilities").
        let elicitation = capabilities["elicitation"]?.object
        canAsk = elicitation.map { $0.isEmpty || $0["form"]?.object != nil } ?? false
        let words = info?.object?["name"]?.string?.sanitized.split(whereSeparator: \.isWhitespace) ?? []
        let line = String(words.joined(separator: " ").unicodeScalars.prefix(64))
        name = line.isEmpty ? "unnamed" : line
    }

    /// A result with what the revision adds.
    ///
    /// - Parameter isKept: Whether the client may keep it for a while: tools stay the same as long as the process runs.
    func result(
        _ members: JSONObject, from server: JSONValue, type: String = "complete", isKept: Bool = false
    ) -> JSONObject {
        guard revision == .stateless else { return members }
        let kept: JSONObject = isKept ? ["ttlMs": 300_000, "cacheScope": "private"] : [:]
        return members.adding(["resultType": .string(type), "_meta": [Self.prefix + "serverInfo": server]]).adding(kept)
    }
}
