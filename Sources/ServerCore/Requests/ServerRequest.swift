internal import Foundation
public import Records
internal import SyncAPI

/// A request as the server's logic sees it: no socket, no framework.
public struct ServerRequest: Sendable {
    /// The method, in upper case.
    public var method: String
    /// Path and query as received, percent-encoded.
    public var target: String
    /// The headers, `Host` included. The first one of each name is used, unless several are one list.
    public var headers: [(name: String, value: String)]
    /// The peer's address; a proxy's, if there is one.
    public var address: String
    /// The request's id in answers and in the log, assigned by the server.
    var id = ""
    /// Whether only the head of the answer is wanted: the request is a `HEAD`, which is handled as a `GET` (RFC 9110
    /// section 9.3.2).
    var isHead = false
    /// Called when the request's access token was found valid.
    var onSignedIn: @Sendable () -> Void = {}
    /// Ends the request's connection, when other clients need the bytes that it holds.
    var onDisplaced: @Sendable () -> Void = {}
    /// The request's share of the server's budget; set by the server.
    var hold = RequestHold(nil)
    /// Reads the body and passes each part to `receive` as it arrives. An error that `receive` throws ends the reading
    /// and is rethrown.
    public var parts: @Sendable (_ receive: (_ part: [UInt8]) throws -> Void) async throws -> Void

    /// Creates a request with a body that arrives in parts.
    public init(
        method: String, target: String, headers: [(name: String, value: String)], address: String,
        parts: @escaping @Sendable (_ receive: (_ part: [UInt8]) throws -> Void) async throws -> Void
    ) {
        self.method = method
        self.target = target
        self.headers = headers
        self.address = address
        self.parts = parts
    }

    /// Creates a request with a complete body.
    public init(
        method: String, target: String, headers: [(name: String, value: String)] = [], address: String = "",
        body: [UInt8] = []
    ) {
        self.init(method: method, target: target, headers: headers, address: address) { receive in
            if !body.isEmpty { try receive(body) }
        }
    }

    /// Returns the value of a header. Its name is case-insensitive.
    public func header(_ name: String) -> String? {
        headers.first { Header.isSame($0.name, name) }?.value
    }

    /// Returns the values of all lines of a header. Its name is case-insensitive.
    func values(_ name: String) -> [String] {
        headers.filter { Header.isSame($0.name, name) }.map(\.value)
    }

    /// Whether the request names its host exactly once, as RFC 9112 section 3.2 requires.
    var hasHost: Bool {
        let hosts = values("Host")
        guard hosts.count == 1, let host = hosts.first else { return false }
        return !host.isEmpty && host.utf8.allSatisfy(Self.isOfHost)
    }

    /// The name of the host in `Host`, in lower case and without the port; nil: there is none, or it is an address.
    var hostName: String? {
        guard let host = header("Host")?.prefix(while: { $0 != ":" }).lowercased(), host.contains(where: \.isLetter)
        else { return nil }
        return host
    }

    /// Returns whether a byte is allowed in `uri-host [ ":" port ]` (RFC 3986 section 3.2.2).
    private static func isOfHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-._~%!$&'()*+,;=:[]".utf8.contains(byte)
        }
    }

    /// The path, without the query.
    var path: String {
        let question = target.utf8.firstIndex(of: UInt8(ascii: "?"))
        return question.map { String(target[..<$0]) } ?? target
    }

    /// Returns a parameter of the query, percent-decoded; nil if there is none. Of several with this name, the first
    /// one is used. A value that can't be decoded is returned as received, so that it is refused and not treated as
    /// missing.
    public func query(_ name: String) -> String? {
        guard let query = target.split(separator: "?", maxSplits: 1).dropFirst().first else { return nil }
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts[0] == name else { continue }
            let text = parts.count == 2 ? String(parts[1]) : ""
            return text.removingPercentEncoding ?? text
        }
        return nil
    }
}

extension ServerRequest {
    /// Returns the body's bytes, after checking its media type and size. Call it once the caller is authorised.
    ///
    /// - Throws: `Problem`: 413, 415, 503 if the budget is used up.
    func bytes(limit: Int, mediaType: String = "application/json") async throws -> [UInt8] {
        let given = header("Content-Type")?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard given == mediaType else { throw Problem.unsupportedMediaType(wanted: mediaType) }
        // Before anything is read. A body without a length is checked as it arrives.
        if let length = header("Content-Length").flatMap({ Int($0) }), length > limit {
            throw Problem.tooLarge(limit: limit)
        }
        // Bytes count when they have arrived: a request that only announces a body holds nothing.
        var bytes: [UInt8] = []
        do {
            try await parts { part in
                guard bytes.count + part.count <= limit else { throw Problem.tooLarge(limit: limit) }
                try hold.hold(bytes.count + part.count)
                bytes.append(contentsOf: part)
            }
        } catch {
            // The connection of a displaced request is closed, which looks like a client that disconnected.
            throw hold.isDisplaced ? Problem.overloaded : error
        }
        return bytes
    }

    /// Returns the body as JSON, of at most this number of bytes. Call it once the caller is authorised.
    ///
    /// - Throws: `Problem`: 400, 413, 415.
    public func json(limit: Int, mediaType: String = "application/json") async throws -> JSONValue {
        try JSONValue(body: await bytes(limit: limit, mediaType: mediaType))
    }

    /// Returns the parameter `limit`, at least 1. A value above the maximum is lowered to it.
    ///
    /// - Throws: `Problem` 400.
    func limit(maximum: Int) throws(Problem) -> Int {
        guard let text = query("limit") else { return min(Limits.pageDefault, maximum) }
        guard let limit = Self.wholeNumber(text), limit >= 1 else {
            throw .invalidRequest("limit should be a whole number, 1 or more")
        }
        return Int(min(limit, Int64(maximum)))
    }

    /// Returns the parameter `collections`, names separated by commas; all collections if it is missing.
    ///
    /// - Throws: `Problem` 400.
    func collections() throws(Problem) -> CollectionSet {
        guard let text = query("collections") else { return .all }
        guard let collections = CollectionSet(text: text) else {
            throw .invalidRequest(
                "collections should be 1 to \(CollectionSet.maximum) collection names, separated by commas, such as tasks,notes"
            )
        }
        return collections
    }

    /// Returns a parameter that is a version; nil if it is missing.
    ///
    /// - Throws: `Problem` 400.
    func version(_ name: String) throws(Problem) -> Int64? {
        guard let text = query(name) else { return nil }
        guard let version = Self.wholeNumber(text) else {
            throw .invalidRequest("\(name) should be a version: a whole number, 0 or more")
        }
        return version
    }

    /// Parses digits; nil for anything else, and for a number that is larger than `BodySchema.largestInteger`.
    private static func wholeNumber(_ text: String) -> Int64? {
        // `Int64` also accepts a sign.
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
        return Int64(text).flatMap { $0 <= BodySchema.largestInteger ? $0 : nil }
    }
}

extension JSONValue {
    /// Parses a request's body.
    ///
    /// - Throws: `Problem` 400.
    init(body: [UInt8]) throws(Problem) {
        do {
            self = try JSONValue(parsing: body, maximumValues: Limits.bodyValues)
        } catch {
            throw error.isTooMany ? .tooManyValues(limit: Limits.bodyValues) : .invalidJSON(error)
        }
    }
}
