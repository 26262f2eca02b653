internal import Records
internal import SyncAPI

/// Handlers for plain REST. A record has the same form as elsewhere on the wire. Of what a client sends, only `fields`
/// is used, since the server assigns the rest.
extension SyncServer {
    func list(_ space: String, _ collection: String, _ request: ServerRequest, _ caller: Caller) async throws
        -> ServerAnswer
    {
        guard RecordKey.isCollection(collection) else { throw Problem.badCollection(collection) }
        let limit = try request.limit(maximum: configuration.limits.pageRecords)
        let after = request.query("after")
        let page = try await records.list(
            caller, space: space, collection: collection, after: after, limit: limit, hold: request.hold)
        // Consumed, so that the body is made from the page's bytes without a copy.
        return .json((consume page).body(.records))
    }

    func read(_ space: String, _ key: RecordKey, _ request: ServerRequest, _ caller: Caller) async throws
        -> ServerAnswer
    {
        try check(key)
        let record = try await records.record(caller, space: space, key: key)
        guard try request.precondition.isNotModified(record.version) else { return .record(record) }
        return ServerAnswer(status: 304, headers: [(Header.entityTag, Precondition.tag(record.version))])
    }

    func revisions(_ space: String, _ key: RecordKey, _ request: ServerRequest, _ caller: Caller) async throws
        -> ServerAnswer
    {
        try check(key)
        let limit = try request.limit(maximum: configuration.limits.pageRecords)
        let before = try request.version("before") ?? .max
        let page = try await records.revisions(
            caller, space: space, key: key, before: before, limit: limit, hold: request.hold)
        return .json((consume page).body(.revisions))
    }

    func replace(
        _ space: String, _ key: RecordKey, _ request: ServerRequest, _ caller: Caller
    ) async throws -> ServerAnswer {
        try checkWrite(key, request)
        let json = try await request.json(limit: configuration.limits.bodyBytes)
        return try await write(.replace(RecordBody.replacement(checking: json)), caller, space, key, request)
    }

    func patch(
        _ space: String, _ key: RecordKey, _ request: ServerRequest, _ caller: Caller
    ) async throws -> ServerAnswer {
        try checkWrite(key, request)
        let json = try await request.json(
            limit: configuration.limits.bodyBytes, mediaType: "application/merge-patch+json")
        return try await write(.patch(RecordBody.patch(checking: json)), caller, space, key, request)
    }

    func delete(
        _ space: String, _ key: RecordKey, _ request: ServerRequest, _ caller: Caller
    ) async throws -> ServerAnswer {
        try checkWrite(key, request)
        _ = try await records.write(
            .delete, caller, space: space, key: key, precondition: request.precondition)
        return .noContent
    }

    private func write(
        _ write: RecordsService.Write, _ caller: Caller, _ space: String, _ key: RecordKey, _ request: ServerRequest
    ) async throws -> ServerAnswer {
        let written = try await records.write(
            write, caller, space: space, key: key, precondition: request.precondition)
        switch written {
        case .created(let record): return .record(record, status: 201)
        case .changed(let record): return .record(record)
        }
    }

    /// Checks a write before its body is read.
    private func checkWrite(_ key: RecordKey, _ request: ServerRequest) throws(Problem) {
        try check(key)
        // Required, so that a client can't overwrite a change that it hasn't read (RFC 6585 section 3, "lost update").
        if try request.precondition.isEmpty { throw Problem.preconditionRequired }
    }

    private func check(_ key: RecordKey) throws(Problem) {
        if !RecordKey.isCollection(key.collection) { throw .badCollection(key.collection) }
        if !RecordKey.isIdentifier(key.id) { throw .badRecordID(key.id) }
    }
}

extension ServerRequest {
    /// The request's preconditions on the record. Several lines of one header are one list (RFC 9110 section 5.3).
    fileprivate var precondition: Precondition {
        get throws(Problem) { try Precondition(ifMatch: list("If-Match"), ifNoneMatch: list("If-None-Match")) }
    }

    private func list(_ name: String) -> String? {
        let lines = values(name)
        return lines.isEmpty ? nil : lines.joined(separator: ",")
    }
}

extension ServerAnswer {
    /// Returns an answer with a record and its entity tag.
    fileprivate static func record(_ record: RawRecord, status: Int = 200) -> ServerAnswer {
        var answer = json(record.body, status: status)
        answer.headers.append((Header.entityTag, Precondition.tag(record.version)))
        return answer
    }
}
