internal import Logging
internal import Records
internal import SyncAPI

/// One handler for each route; the compiler reports a missing one. A handler of an authenticated route receives the
/// caller, who was authenticated before anything of the body was read.
extension SyncServer {
    func handle(_ route: OpenRoute, _ request: ServerRequest) async throws -> ServerAnswer {
        switch route {
        case .capabilities: return try .encoded(capabilities(for: request))
        case .document: return document.answer(to: request)
        case .health: return try .encoded(ServiceStatus(.ok))
        case .readiness: return try await readiness()
        case .register: return try await register(request)
        case .logIn: return try await logIn(request)
        case .resetLogIn: return try await resetLogIn(request)
        case .refresh: return try await refresh(request)
        }
    }

    func handle(
        _ route: AuthenticatedRoute, _ request: ServerRequest, from caller: Caller
    ) async throws -> ServerAnswer {
        if route.managesAccount { try Access.checkManaging(caller) }
        switch route {
        case .logOut:
            try await sessions.end(caller)
            audit.record(.loggedOut(AuditSubject(caller)), from: origin(of: request))
            return .noContent
        case .account: return try .encoded(await accounts.status(caller))
        case .changePassword: return try await changePassword(request, caller)
        case .deleteAccount: return try await deleteAccount(request, caller)
        case .devices: return try .encoded(await sessions.devices(caller))
        case .revokeDevice(let id):
            let (revoked, subject) = (try await sessions.revoke(device: id, caller), AuditSubject(caller))
            audit.record(
                revoked.appPassword == nil
                    ? .deviceRevoked(subject, revoked: id) : .appPasswordRevoked(subject, revoked: id),
                from: origin(of: request))
            return .noContent
        case .renameDevice(let id): return try await renameDevice(id, request, caller)
        case .signOutDevices: return try await signOutDevices(request, caller)
        case .createAppPassword: return try await createAppPassword(request, caller)
        case .events: return try await streamEvents(request, caller)
        case .spaces: return try await spaces(caller)
        case .pullChanges(let space): return try await pull(space, request, caller)
        case .pushChanges(let space): return try await push(space, request, caller)
        case .records(let space, let collection): return try await list(space, collection, request, caller)
        case .readRecord(let space, let collection, let id):
            return try await read(space, RecordKey(collection: collection, id: id), request, caller)
        case .revisions(let space, let collection, let id):
            return try await revisions(space, RecordKey(collection: collection, id: id), request, caller)
        case .replaceRecord(let space, let collection, let id):
            return try await replace(space, RecordKey(collection: collection, id: id), request, caller)
        case .patchRecord(let space, let collection, let id):
            return try await patch(space, RecordKey(collection: collection, id: id), request, caller)
        case .deleteRecord(let space, let collection, let id):
            return try await delete(space, RecordKey(collection: collection, id: id), request, caller)
        }
    }

    /// Authenticates a request by its access token, and checks the caller's role in the space that it reads or changes.
    ///
    /// - Throws: `Problem` 401, 403, 404; 503 if the session has too many requests under way.
    func caller(of request: ServerRequest, for access: SpaceAccess?) async throws -> Caller {
        let authentication = try await sessions.authenticate(
            request.bearerToken, for: access?.space, from: origin(of: request))
        let caller = authentication.caller
        // Before the limits are checked: a refused request, too, shows that the connection belongs to a signed-in
        // device.
        request.onSignedIn()
        let client = request.client(behind: configuration.trustedProxies)
        accounts.familiar.note(client, of: caller)
        try request.hold.admit(caller, address: client)
        if let access, let refusal = Access.refusal(role: authentication.role, isWriting: access.isWriting) {
            throw refusal
        }
        try Access.checkScope(of: caller, method: request.method)
        return caller
    }

    /// Returns the request's id and address for the log.
    func origin(of request: ServerRequest) -> RequestOrigin {
        RequestOrigin(request, behind: configuration.trustedProxies)
    }

    private func capabilities(for request: ServerRequest) -> Capabilities {
        Capabilities(
            name: configuration.name, protocols: Capabilities.protocols,
            capabilities: Capability.allCases.map(\.rawValue),
            registration: configuration.registrationRule(for: request),
            limits: configuration.limits)
    }

    private func readiness() async throws -> ServerAnswer {
        do {
            // Any small read shows whether the storage answers.
            _ = try await store.read { tx in try tx.epoch() }
            try await store.checkSpace()
        } catch StoreFailure.full(let reason) {
            logger.error("not ready: the disk is full", metadata: ["error": "\(reason)"])
            throw Problem.writesFail
        } catch {
            logger.error("the storage doesn't answer", metadata: ["error": "\(String(reflecting: error))"])
            throw Problem.overloaded
        }
        return try .encoded(ServiceStatus(.ready, warnings: unknownProxyWarnings))
    }

    private func spaces(_ caller: Caller) async throws -> ServerAnswer {
        let (personal, memberships) = try await store.read { tx in
            (try tx.account(id: caller.account)?.personalSpace, try tx.memberships(of: caller.account))
        }
        let spaces = memberships.map {
            SpaceList.Entry(id: $0.space, role: $0.role, personal: $0.space == personal)
        }
        return try .encoded(SpaceList(spaces: spaces))
    }
}

extension ServerRequest {
    /// The token of `Authorization: Bearer` (RFC 6750 section 2.1); nil if there is none.
    fileprivate var bearerToken: String? {
        guard let value = header("Authorization") else { return nil }
        let parts = value.split(separator: " ", maxSplits: 1)
        // The name of the scheme is case-insensitive (RFC 9110 section 11.1).
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        return parts[1].trimmingPrefix(while: { $0 == " " }).description
    }
}

/// Handlers for accounts and sessions. They parse the bodies and call the services.
extension SyncServer {
    func register(_ request: ServerRequest) async throws -> ServerAnswer {
        // Checked again by the service; here, so that the body of a refused request isn't read.
        if configuration.registration == .closed { throw Problem.registrationClosed }
        let registration: RegisterRequest = try await body(of: request)
        let client = request.clientAddress(behind: configuration.trustedProxies)
        let origin = origin(of: request)
        let grant = try await audit.attempt(
            .registration, by: AuditSubject(user: registration.username), from: origin
        ) {
            try await accounts.register(
                registration, by: configuration.registrationRule(for: request), address: client,
                host: request.hostName)
        }
        audit.record(.registered(AuditSubject(grant)), from: origin)
        return try .encoded(grant, status: 201)
    }

    func logIn(_ request: ServerRequest) async throws -> ServerAnswer {
        let logIn: LogInRequest = try await body(of: request)
        let client = request.clientAddress(behind: configuration.trustedProxies)
        let origin = origin(of: request)
        let opened = try await audit.attempt(.logIn, by: AuditSubject(user: logIn.username), from: origin) {
            try await accounts.logIn(logIn, address: client)
        }
        recordLogIn(opened, from: origin)
        return try .encoded(opened.grant, status: 201)
    }

    func resetLogIn(_ request: ServerRequest) async throws -> ServerAnswer {
        let reset: ResetLogInRequest = try await body(of: request)
        let client = request.clientAddress(behind: configuration.trustedProxies)
        let origin = origin(of: request)
        let opened = try await audit.attempt(.logIn, by: AuditSubject(user: reset.username), from: origin) {
            try await accounts.logIn(reset, address: client, host: request.hostName)
        }
        audit.record(.passwordReset(AuditSubject(opened.grant)), from: origin)
        recordLogIn(opened, from: origin)
        return try .encoded(opened.grant, status: 201)
    }

    private func recordLogIn(_ opened: SessionService.OpenedSession, from origin: RequestOrigin) {
        let subject = AuditSubject(opened.grant)
        audit.record(.loggedIn(subject), from: origin)
        for device in opened.displaced { audit.record(.deviceDisplaced(subject, revoked: device), from: origin) }
    }

    func refresh(_ request: ServerRequest) async throws -> ServerAnswer {
        let refresh: RefreshRequest = try await body(of: request)
        let client = request.clientAddress(behind: configuration.trustedProxies)
        let origin = origin(of: request)
        do {
            return try .encoded(await sessions.refresh(refresh.refreshToken, from: origin, at: client))
        } catch let problem as Problem where problem.status == 429 {
            audit.record(.refreshLimited(AuditSubject()), from: origin)
            throw problem
        }
    }

    func changePassword(_ request: ServerRequest, _ caller: Caller) async throws -> ServerAnswer {
        let change: PasswordChangeRequest = try await body(of: request)
        let (subject, origin) = (AuditSubject(caller), origin(of: request))
        try await audit.attempt(.password, by: subject, from: origin) {
            try await accounts.changePassword(caller, change, host: request.hostName)
        }
        audit.record(.passwordChanged(subject), from: origin)
        return .noContent
    }

    func deleteAccount(_ request: ServerRequest, _ caller: Caller) async throws -> ServerAnswer {
        let deletion: AccountDeletionRequest = try await body(of: request)
        let (subject, origin) = (AuditSubject(caller), origin(of: request))
        try await audit.attempt(.password, by: subject, from: origin) {
            try await accounts.delete(caller, password: deletion.password)
        }
        audit.record(.accountDeleted(subject), from: origin)
        return .noContent
    }

    func renameDevice(_ id: String, _ request: ServerRequest, _ caller: Caller) async throws -> ServerAnswer {
        let renaming: DeviceNameRequest = try await body(of: request)
        try await sessions.rename(device: id, to: renaming.name, caller)
        return .noContent
    }

    func signOutDevices(_ request: ServerRequest, _ caller: Caller) async throws -> ServerAnswer {
        let signOut: SignOutRequest = try await body(of: request)
        let count = try await sessions.endAll(caller, includingThis: signOut.includingThis)
        audit.record(.devicesSignedOut(AuditSubject(caller), count: count), from: origin(of: request))
        return try .encoded(SignOutAnswer(devices: count))
    }

    func createAppPassword(_ request: ServerRequest, _ caller: Caller) async throws -> ServerAnswer {
        let wanted: AppPasswordRequest = try await body(of: request)
        let (subject, origin) = (AuditSubject(caller), origin(of: request))
        let grant = try await audit.attempt(.password, by: subject, from: origin) {
            try await accounts.createAppPassword(wanted, caller)
        }
        audit.record(
            .appPasswordCreated(subject, id: grant.device.id, scope: grant.appPassword.scope), from: origin)
        return try .encoded(grant, status: 201)
    }

    private func body<Body: WireBody>(of request: ServerRequest) async throws -> Body {
        try Body(checking: await request.json(limit: min(Limits.accountBodyBytes, configuration.limits.bodyBytes)))
    }
}

/// Handlers for the changes of a space.
extension SyncServer {
    func pull(_ space: String, _ request: ServerRequest, _ caller: Caller) async throws -> ServerAnswer {
        let limit = try request.limit(maximum: configuration.limits.pageRecords)
        let page = try await changes.pull(
            caller, space: space, collections: request.collections(), since: request.query("since"), limit: limit,
            hold: request.hold)
        return .json((consume page).body())
    }

    func push(_ space: String, _ request: ServerRequest, _ caller: Caller) async throws -> ServerAnswer {
        guard let key = request.header(Header.idempotencyKey) else { throw Problem.keyMissing }
        guard UUIDText.isValid(key) else {
            throw Problem.invalidRequest("an idempotency key is a UUID, 32 hex digits in groups of 8-4-4-4-12")
        }
        // Before the body is read, which a wrong parameter would waste.
        let collections = try request.collections()
        let body = try await request.bytes(limit: configuration.limits.bodyBytes)
        let push = try PushRequest(checking: JSONValue(body: body), maximum: configuration.limits.mutations)
        return .json(
            try await changes.push(
                caller, space: space, collections: collections, key: key, body: body, request: push, hold: request.hold)
        )
    }
}

/// The handler for live events.
extension SyncServer {
    func streamEvents(_ request: ServerRequest, _ caller: Caller) async throws -> ServerAnswer {
        let headers = [
            ("Content-Type", "text/event-stream"),
            // Proxies such as nginx would otherwise buffer the events.
            ("X-Accel-Buffering", "no"),
        ]
        // A stream without a reader must not displace another one of the account.
        if request.isHead { return ServerAnswer(status: 200, headers: headers) }
        let client = request.clientAddress(behind: configuration.trustedProxies)
        // The claimed address may be forged. It only decides which stream is displaced when the limit is reached.
        let address = (client.known ?? client.claimed)?.subscriber ?? request.address
        let stream = try await events.open(caller, from: address, lastEventID: request.header("Last-Event-ID"))
        return ServerAnswer(status: 200, headers: headers, stream: stream)
    }
}

extension ServerConfiguration {
    /// Returns the rule for creating accounts that applies to a request.
    func registrationRule(for request: ServerRequest) -> Capabilities.Registration {
        guard registration == .open, invitesBehindUnknownProxy, request.isForwardedByUnknownProxy(trustedProxies) else {
            return registration
        }
        return .invite
    }
}
