// The requests and answers of Satchel's endpoints.

extension OpenRoute {
    /// See `Endpoint`.
    public static func operation(of kind: Kind) -> Operation {
        switch kind {
        case .capabilities:
            Operation(
                "capabilities", "Returns the server's name, protocol versions, capabilities and limits.",
                answers: [.json(Capabilities.schema)])
        case .document:
            Operation("document", "Returns this OpenAPI document.", answers: [.json(.anyObject)])
        case .health:
            Operation("health", "Reports whether the process is alive.", answers: [.json(ServiceStatus.schema)])
        case .readiness:
            Operation(
                "readiness", "Reports whether the storage answers and has room for writes.",
                answers: [.json(ServiceStatus.schema)])
        case .register:
            Operation(
                "register", "Creates an account and signs in a device.", body: .json(RegisterRequest.schema),
                answers: [.json(SessionGrant.schema, status: 201, "The session.")],
                problems: [.registrationClosed, .usernameTaken, .rateLimited])
        case .logIn:
            Operation(
                "logIn", "Signs in a device; an earlier session of the device ends.", body: .json(LogInRequest.schema),
                answers: [.json(SessionGrant.schema, status: 201, "The session.")],
                problems: [.invalidCredentials, .rateLimited, .accountDisabled])
        case .resetLogIn:
            Operation(
                "resetLogIn",
                "Signs in a device with a one-time code, and sets a new password; every other session of the account "
                    + "ends.",
                body: .json(ResetLogInRequest.schema),
                answers: [.json(SessionGrant.schema, status: 201, "The session.")],
                problems: [.invalidCredentials, .rateLimited, .accountDisabled])
        case .refresh:
            Operation(
                "refresh", "Replaces both tokens of a session.", body: .json(RefreshRequest.schema),
                answers: [.json(SessionGrant.schema)],
                problems: [.tokenInvalid, .tokenExpired, .rateLimited, .accountDisabled])
        }
    }
}

extension AuthenticatedRoute {
    /// See `Endpoint`.
    public static func operation(of kind: Kind) -> Operation {
        switch kind {
        case .logOut: Operation("logOut", "Ends the session of the access token.", answers: [.empty()])
        case .account:
            Operation(
                "account",
                "Returns the account, its usage and its quota, and what the app password of the request may do.",
                answers: [.json(AccountStatus.schema)])
        case .changePassword:
            Operation(
                "changePassword", "Changes the password; every other session of the account ends.",
                body: .json(PasswordChangeRequest.schema), answers: [.empty()],
                problems: [.invalidCredentials, .rateLimited])
        case .deleteAccount:
            Operation(
                "deleteAccount", "Deletes the account and its personal space.",
                body: .json(AccountDeletionRequest.schema), answers: [.empty()],
                problems: [.invalidCredentials, .rateLimited])
        case .devices:
            Operation(
                "devices", "Returns the account's signed-in devices and app passwords.",
                answers: [.json(DeviceList.schema)], problems: [.forbidden])
        case .revokeDevice:
            Operation(
                "revokeDevice", "Ends the session of a device immediately.", answers: [.empty()],
                problems: [.notFound])
        case .renameDevice:
            Operation(
                "renameDevice", "Gives a device or an app password another name.",
                body: .json(DeviceNameRequest.schema), answers: [.empty()], problems: [.notFound])
        case .signOutDevices:
            Operation(
                "signOutDevices", "Ends the sessions of all devices or of all others, app passwords included.",
                body: .json(SignOutRequest.schema), answers: [.json(SignOutAnswer.schema)])
        case .createAppPassword:
            Operation(
                "createAppPassword", "Creates an app password; only this answer has its secret.",
                body: .json(AppPasswordRequest.schema),
                answers: [.json(AppPasswordGrant.schema, status: 201, "The app password with its secret.")],
                problems: [.invalidCredentials, .quotaExceeded, .rateLimited])
        case .events:
            Operation(
                "events", "Streams events about changes in all spaces of the account.",
                parameters: [.header("Last-Event-ID", .string)],
                answers: [
                    .events(
                        ChangeEvent.schema, named: ChangeEvent.type,
                        "Events named `changes`, and comments as heartbeats.")
                ],
                problems: [.quotaExceeded])
        case .spaces: Operation("spaces", "Returns the account's spaces.", answers: [.json(SpaceList.schema)])
        case .pullChanges:
            Operation(
                "pullChanges", "Returns the records that changed after a cursor; without a cursor, all live records.",
                parameters: [.query("since", .cursor), .limit, .collections],
                answers: [.json(ChangesPage.schema)], problems: [.invalidCursor, .cursorExpired, .epochChanged])
        case .pushChanges:
            Operation(
                "pushChanges", "Applies mutations in one transaction.",
                parameters: [
                    .collections,
                    .header(
                        Header.idempotencyKey,
                        .string(
                            "a UUID", pattern: "^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$"),
                        isRequired: true),
                ],
                body: .json(PushRequest.schema(maximum: Limits.mutations)), answers: [.json(PushAnswer.schema)],
                problems: [
                    .invalidCursor, .epochChanged, .idempotencyKeyMissing, .idempotencyKeyReused, .idempotencyKeyInUse,
                ])
        case .records:
            Operation(
                "records", "Returns the live records of a collection, ordered by id.",
                parameters: [.query("after", .string), .limit],
                answers: [.json(RecordPage.schema(.records))])
        case .readRecord:
            Operation(
                "readRecord", "Returns a record, with its version as `ETag`.",
                parameters: [.ifNoneMatch],
                answers: [
                    .json(RawRecord.schema).tagged,
                    .empty(status: 304, "The record still has the version in `If-None-Match`.").tagged,
                ])
        case .revisions:
            Operation(
                "revisions", "Returns the states of a record, the present one first.",
                parameters: [.query("before", .version), .limit],
                answers: [.json(RecordPage.schema(.revisions))])
        case .replaceRecord:
            Operation(
                "replaceRecord", "Replaces the fields of a record, or creates it.", parameters: writing,
                body: .json(RecordBody.replacementSchema),
                answers: [
                    .json(RawRecord.schema, "The record was replaced, or had these fields already.").tagged,
                    .json(RawRecord.schema, status: 201, "The record was created.").tagged,
                ], problems: writeProblems)
        case .patchRecord:
            Operation(
                "patchRecord", "Changes fields of a record with a JSON merge patch (RFC 7396).",
                parameters: writing, body: .mergePatch(RecordBody.patchSchema),
                answers: [.json(RawRecord.schema).tagged], problems: writeProblems)
        case .deleteRecord:
            Operation(
                "deleteRecord", "Deletes a record; a tombstone remains.", parameters: writing,
                answers: [.empty()], problems: writeProblems)
        }
    }

    private static var writing: [Operation.Parameter] {
        [.header("If-Match", .entityTags), .ifNoneMatch]
    }

    private static var writeProblems: [Problem.Code] { [.preconditionRequired, .versionConflict, .tooLarge] }
}

extension Operation.Parameter {
    fileprivate static var limit: Self {
        .query("limit", .integer("maximum number of records; the server lowers it to its own limit", minimum: 1))
    }
    fileprivate static var collections: Self {
        .query(
            "collections",
            .string(
                "collections whose changes the answer contains, separated by commas; default: all",
                pattern: "^[a-z][a-z0-9-]{0,63}(,[a-z][a-z0-9-]{0,63}){0,63}$"))
    }
    fileprivate static var ifNoneMatch: Self { .header("If-None-Match", .entityTags) }
}
