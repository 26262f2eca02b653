internal import Logging
internal import Records
internal import SyncAPI

/// One handler for each route; the compiler says where one is missing.
extension SyncServer {
    func handle(_ route: Route, _ request: ServerRequest) async throws -> ServerAnswer {
        switch route {
        case .capabilities: return try .encoded(capabilities)
        case .health: return .json(Array(#"{"status":"ok"}"#.utf8))
        case .readiness: return try await readiness()
        case .register: return try await register(request)
        case .logIn: return try await logIn(request)
        case .refresh: return try await refresh(request)
        case .logOut:
            try await sessions.end(caller(of: request))
            return .noContent
        case .account: return try .encoded(await accounts.status(caller(of: request)))
        case .changePassword: return try await changePassword(request)
        case .deleteAccount: return try await deleteAccount(request)
        case .devices: return try .encoded(await sessions.devices(caller(of: request)))
        case .revokeDevice(let id):
            try await sessions.revoke(device: id, caller(of: request))
            return .noContent
        case .events: return try await streamEvents(request)
        case .spaces: return try await spaces(request)
        case .pullChanges(let space): return try await pull(space, request)
        case .pushChanges(let space): return try await push(space, request)
        case .records(let space, let collection): return try await list(space, collection, request)
        case .readRecord(let space, let collection, let id):
            return try await read(space, RecordKey(collection: collection, id: id), request)
        case .revisions(let space, let collection, let id):
            return try await revisions(space, RecordKey(collection: collection, id: id), request)
        case .replaceRecord(let space, let collection, let id):
            return try await replace(space, RecordKey(collection: collection, id: id), request)
        case .patchRecord(let space, let collection, let id):
            return try await patch(space, RecordKey(collection: collection, id: id), request)
        case .deleteRecord(let space, let collection, let id):
            return try await delete(space, RecordKey(collection: collection, id: id), request)
        }
    }

    /// Who asks, by the access token.
    ///
    /// - Throws: `Problem` 401, 503 if the session has too many requests under way.
    public func caller(of request: ServerRequest) async throws -> Caller {
        let caller = try await sessions.authenticate(request.bearerToken, from: origin(of: request))
        request.onSignedIn()
        try request.hold.admit(caller, address: request.client(behind: configuration.trustedProxies))
        return caller
    }

    /// Names a request in the log.
    func origin(of request: ServerRequest) -> RequestOrigin {
        RequestOrigin(request, behind: configuration.trustedProxies)
    }

    private var capabilities: Capabilities {
        Capabilities(
            name: "satcheld", protocols: [1], capabilities: ["records", "revisions", "events"],
            registration: configuration.registration,
            limits: configuration.limits)
    }

    private func readiness() async throws -> ServerAnswer {
        do {
            _ = try await store.read { tx in try tx.epoch() }
            try await store.checkSpace()
        } catch StoreFailure.full(let reason) {
            logger.error("not ready: the disk is full", metadata: ["error": "\(reason)"])
            throw Problem.writesFail
        } catch {
            logger.error("the storage doesn't answer", metadata: ["error": "\(String(reflecting: error))"])
            throw Problem.overloaded
        }
        return .json(Array(#"{"status":"ready"}"#.utf8))
    }

    private func spaces(_ request: ServerRequest) async throws -> ServerAnswer {
        let caller = try await caller(of: request)
        let (personal, memberships) = try await store.read { tx in
            (try tx.account(id: caller.account)?.personalSpace, try tx.memberships(of: caller.account))
        }
        let list = memberships.map { membership -> JSONValue in
            [
                "id": .string(membership.space), "role": .string(membership.role.rawValue),
                "personal": .bool(membership.space == personal),
            ]
        }
        return .json(Array(JSONValue.object(["spaces": .array(list)]).text.utf8))
    }
}

extension ServerRequest {
    /// The token of `Authorization: Bearer` (RFC 6750 section 2.1); nil if there is none.
    fileprivate var bearerToken: String? {
        guard let value = header("Authorization") else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1].trimmingPrefix(while: { $0 == " " }).description
    }
}
