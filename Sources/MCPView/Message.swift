internal import CanonicalJSON

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
