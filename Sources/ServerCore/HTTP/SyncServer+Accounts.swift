internal import Records
internal import SyncAPI

/// Handlers for accounts and sessions: they read bodies and leave the rest to the services.
extension SyncServer {
    /// No body about accounts needs more, and some of them come from anybody.
    private static let bodyBytes = 64 << 10

    func register(_ request: ServerRequest) async throws -> ServerAnswer {
        if configuration.registration == .closed { throw Problem.registrationClosed }
        let members = try await members(of: request)
        var shape = Shape()
        let username = shape.required(members["username"], "/username", Username.form) {
            $0.string.flatMap(Username.init)
        }
        let password = shape.required(members["password"], "/password", Password.form) {
            $0.string.flatMap(Password.init)
        }
        let device = DeviceClaim(json: members["device"], &shape)
        let invite = shape.optionalString(members["invite"], "/invite")
        let registration = username.flatMap { username in
            password.flatMap { password in
                device.map {
                    AccountService.Registration(username: username, password: password, device: $0, invite: invite)
                }
            }
        }
        let client = request.clientAddress(behind: configuration.trustedProxies)
        return try .encoded(await accounts.register(shape.finish(registration), address: client), status: 201)
    }

    func logIn(_ request: ServerRequest) async throws -> ServerAnswer {
        let members = try await members(of: request)
        var shape = Shape()
        let username = shape.string(members["username"], "/username")
        let password = shape.string(members["password"], "/password")
        let device = DeviceClaim(json: members["device"], &shape)
        let logIn = username.flatMap { username in
            password.flatMap { password in
                device.map { LogInRequest(username: username, password: password, device: $0) }
            }
        }
        let client = request.clientAddress(behind: configuration.trustedProxies)
        return try .encoded(await accounts.logIn(shape.finish(logIn), address: client), status: 201)
    }

    func refresh(_ request: ServerRequest) async throws -> ServerAnswer {
        let members = try await members(of: request)
        var shape = Shape()
        let token = shape.string(members["refreshToken"], "/refreshToken")
        return try .encoded(await sessions.refresh(shape.finish(token), from: origin(of: request)))
    }

    func changePassword(_ request: ServerRequest, _ caller: Caller) async throws -> ServerAnswer {
        let members = try await members(of: request)
        var shape = Shape()
        let current = shape.string(members["currentPassword"], "/currentPassword")
        let new = shape.required(members["newPassword"], "/newPassword", Password.form) {
            $0.string.flatMap(Password.init)
        }
        let change = try shape.finish(current.flatMap { current in new.map { (current: current, new: $0) } })
        try await accounts.changePassword(caller, current: change.current, new: change.new)
        return .noContent
    }

    func deleteAccount(_ request: ServerRequest, _ caller: Caller) async throws -> ServerAnswer {
        let members = try await members(of: request)
        var shape = Shape()
        let password = shape.string(members["password"], "/password")
        try await accounts.delete(caller, password: shape.finish(password))
        return .noContent
    }

    private func members(of request: ServerRequest) async throws -> JSONObject {
        let json = try await request.json(limit: min(Self.bodyBytes, configuration.limits.bodyBytes))
        var shape = Shape()
        return try shape.finish(shape.object(json, ""))
    }
}

extension Username {
    fileprivate static let form = "1 to 64 characters of a-z, 0-9, '.', '_' and '-', the first a letter or digit"
}

extension Password {
    fileprivate static let form = "8 to 1,024 bytes"
}

extension DeviceClaim {
    fileprivate init?(json: JSONValue?, _ shape: inout Shape) {
        guard let members = shape.object(json, "/device") else { return nil }
        let name = shape.required(members["name"], "/device/name", "a name: 1 to 256 bytes") {
            $0.string.flatMap { (1...256).contains($0.utf8.count) ? $0 : nil }
        }
        let id = members["id"].flatMap { value in
            shape.required(value, "/device/id", "an id: [A-Za-z0-9_-]{1,64}") {
                $0.string.flatMap { RecordKey.isIdentifier($0) ? $0 : nil }
            }
        }
        guard let name else { return nil }
        self.init(name: name, id: id)
    }
}
