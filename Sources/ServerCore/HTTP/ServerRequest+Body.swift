public import Records
internal import SyncAPI

extension ServerRequest {
    /// The body's bytes, after its media type and size were found right. To be called once the caller is authorised.
    ///
    /// - Throws: `Problem`: 413, 415, 503 if the budget is used up.
    func bytes(limit: Int, mediaType: String = "application/json") async throws -> [UInt8] {
        let given = header("Content-Type")?.prefix { $0 != ";" && $0 != " " }.lowercased()
        guard given == mediaType else { throw Problem.unsupportedMediaType(wanted: mediaType) }
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

    /// The body as JSON, of at most this number of bytes. To be called once the caller is authorised.
    ///
    /// - Throws: `Problem`: 400, 413, 415.
    public func json(limit: Int, mediaType: String = "application/json") async throws -> JSONValue {
        try JSONValue(body: await bytes(limit: limit, mediaType: mediaType))
    }

    /// The parameter `limit`: at least 1; what is more than the maximum is lowered to it.
    ///
    /// - Throws: `Problem` 400.
    func limit(maximum: Int) throws(Problem) -> Int {
        guard let text = query("limit") else { return min(Limits.pageDefault, maximum) }
        guard let limit = Int(text), limit >= 1 else {
            throw .invalidRequest("limit should be a whole number, 1 or more")
        }
        return min(limit, maximum)
    }

    /// A parameter that is a version; nil if it isn't there.
    ///
    /// - Throws: `Problem` 400.
    func version(_ name: String) throws(Problem) -> Int64? {
        guard let text = query(name) else { return nil }
        guard let version = Int64(text), version >= 0 else {
            throw .invalidRequest("\(name) should be a version: a whole number, 0 or more")
        }
        return version
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
