import Backend
import ControllerKit
import Controllers
import Foundation
import LocalStore
import Records
import struct Records.Record
import SyncAPI
import SyncEngine
import TestSupport
import Testing

/// A home with a scripted server, the setup of the tests in this folder. It opens no socket.
@MainActor
struct Home {
    let transport = MockTransport()
    let clock: ManualClock
    let credentials: InMemoryCredentialStore
    let services: Services

    /// - Parameters:
    ///   - username: signed in as this account, whose home it is; nil: never signed in.
    ///   - store: the cache; one in memory unless stated.
    init(
        signedInAs username: String? = nil, clock: ManualClock = ManualClock(), types: RecordTypes = .standard,
        timeZone: TimeZone = .gmt, store: LocalStore? = nil, gate: SyncGate = .open, acceptsInsecureHTTP: Bool = false
    ) throws {
        self.clock = clock
        credentials = InMemoryCredentialStore(try username.map { try .testing(username: $0) })
        services = try .testing(
            transport, credentials: credentials, clock: clock, types: types, timeZone: timeZone, store: store,
            gate: gate,
            acceptsInsecureHTTP: acceptsInsecureHTTP)
        guard let username else { return }
        try services.store.writeNow { try $0.account.bind(remote: "space-\(username)", username: username) }
    }

    func login() -> Presentation<LoginScreen> { Presentation(LoginController(services.account)) { Issue.record($0) } }
    func session() -> Presentation<SessionScreen> {
        Presentation(SessionController(services.account)) { Issue.record($0) }
    }
    func list() -> Presentation<ListScreen> { Presentation(ListController(services.notebook)) { Issue.record($0) } }
    func detail() -> Presentation<DetailScreen> {
        Presentation(DetailController(services.notebook)) { Issue.record($0) }
    }
    func sync() -> Presentation<SyncScreen> {
        Presentation(SyncController(services.notebook, services.sync)) { Issue.record($0) }
    }
    func conflicts() -> Presentation<ConflictsScreen> {
        Presentation(ConflictsController(services.notebook, devices: services.devices)) { Issue.record($0) }
    }

    func undo() -> Presentation<UndoScreen> { Presentation(UndoController(services.notebook)) { Issue.record($0) } }
    func history() -> Presentation<HistoryScreen> {
        Presentation(HistoryController(services.notebook, backend: services.backend, devices: services.devices)) {
            Issue.record($0)
        }
    }
    func transfer() -> Presentation<TransferScreen> {
        Presentation(TransferController(services.notebook)) { Issue.record($0) }
    }

    /// Applies tasks from the server, as a sync does. They replace the local ones.
    func bring(_ tasks: KeyValuePairs<String, JSONObject>, version: Int64 = 7) throws {
        let moment = HLC(milliseconds: clock.milliseconds, device: "desktop")
        try services.store.writeNow { cache in
            for (id, fields) in tasks {
                let key = RecordKey(collection: "tasks", id: id)
                let record = Record(
                    key: key, version: version, modifiedAt: "2026-11-21T05:00:00.000Z", modifiedBy: "desktop",
                    fields: fields, clock: FieldClocks(all: moment))
                try cache.store(CachedRecord(record: record), for: key)
            }
        }
    }

    /// The server accepts the unsent edits of a task.
    func acknowledge(_ id: String, version: Int64 = 8) throws {
        let key = RecordKey(collection: "tasks", id: id)
        try services.store.writeNow { cache in
            guard var record = try cache.cached(key)?.record else { return }
            (record.version, record.modifiedBy) = (version, try cache.device())
            try cache.store(CachedRecord(record: record), for: key)
        }
    }

    /// The fields of all live records.
    func everything() throws -> [RecordKey: JSONObject] {
        let records = try services.store.readNow { try $0.records() }
        return Dictionary(uniqueKeysWithValues: records.map { ($0.key, $0.fields) })
    }

    /// Puts tasks into the cache as another device would, under these ids, a minute apart, the oldest first.
    func put(_ tasks: KeyValuePairs<String, JSONObject>) throws {
        let start = Int64(clock.date.timeIntervalSince1970)
        try services.store.writeNow { cache in
            for (index, (id, fields)) in tasks.enumerated() {
                let entry = Timestamp(seconds: start + 60 * Int64(index))
                let task = TaskRecord(title: "", entry: entry).fields.applying(fields)
                try cache.edit(RecordKey(collection: "tasks", id: id), task)
            }
        }
    }

    /// The fields of a task in the cache; nil if it isn't there.
    func task(_ id: String) throws -> JSONObject? {
        try services.store.readNow { try $0.cached(RecordKey(collection: "tasks", id: id)) }
            .flatMap { $0.record.deleted ? nil : $0.record.fields }
    }

    /// The titles of all live tasks and notes.
    func titles() throws -> Set<String> {
        let records = try services.store.readNow { try $0.records(in: ["tasks", "notes"]) }
        return Set(records.compactMap { $0.fields["title"]?.string })
    }

    /// Deletes a task as another device would.
    func delete(_ id: String) throws {
        try services.store.writeNow { try $0.delete(RecordKey(collection: "tasks", id: id)) }
    }
}

/// The message for the user when `body` fails; an issue of the test when it doesn't.
@MainActor
func failure(
    sourceLocation: SourceLocation = #_sourceLocation, of body: () async throws -> Void
) async -> Failure {
    do { try await body() } catch { return Failure(error) }
    Issue.record("Nothing was thrown.", sourceLocation: sourceLocation)
    return Failure(.failed, "")
}

/// What a scripted server answers.
enum Answer {
    /// A session for an account; its personal space is `space` or, unless stated, `space-<username>`.
    static func grant(
        _ username: String = "ada", space: String? = nil, generation: Int = 1, proof: String? = nil
    ) -> HTTPResponse {
        .json(
            """
            {"account": {"id": "account-\(username)", "username": "\(username)",
              "personalSpace": "\(space ?? "space-" + username)"},
             "device": {"id": "laptop-1", "name": "laptop"},
             "accessToken": "access-\(generation)", "accessTokenExpiresAt": "2027-01-01T00:00:00.000Z",
             "refreshToken": "refresh-\(generation)", "refreshTokenExpiresAt": "2027-06-01T00:00:00.000Z"
             \(proof.map { ", \"deviceProof\": \"\($0)\"" } ?? "")}
            """, status: 201)
    }

    /// The account's devices, by id, with these names.
    static func devices(_ names: KeyValuePairs<String, String>) -> HTTPResponse {
        let devices = names.map { id, name in
            """
            {"id": "\(id)", "name": "\(name)", "createdAt": "2026-11-20T10:00:00.000Z",
             "lastSeenAt": "2026-11-20T10:00:00.000Z", "current": false}
            """
        }
        return .json(#"{"devices": [\#(devices.joined(separator: ", "))]}"#)
    }

    /// A page of changes, the last one.
    static func page(_ records: [String] = [], cursor: String = "c1") -> HTTPResponse {
        .json(#"{"records": [\#(records.joined(separator: ", "))], "cursor": "\#(cursor)", "more": false}"#)
    }

    /// A record as on the wire.
    static func record(_ id: String, _ fields: String, version: Int, at: String = "019b00000000-0000-desktop") -> String
    {
        """
        {"collection": "tasks", "id": "\(id)", "version": \(version), "deleted": false,
         "modifiedAt": "2026-11-20T10:00:00.000Z", "modifiedBy": "desktop", "fields": \(fields), "clock": {"*": "\(at)"}}
        """
    }

    /// Acts as a server that accepts every mutation, the first one with this version.
    static func applying(from version: Int64) -> MockTransport.Handler {
        { request throws(TransportError) in
            results(of: request) { index, mutation in
                .applied(
                    version: version + Int64(index), modifiedAt: "2026-11-21T05:20:00.000Z",
                    clock: mutation["at"]?.string.flatMap(HLC.init).map(FieldClocks.init(all:)) ?? FieldClocks())
            }
        }
    }

    /// Acts as a server that rejects every mutation permanently.
    static func rejecting(_ detail: String) -> MockTransport.Handler {
        { request throws(TransportError) in
            results(of: request) { _, _ in
                .rejected(Problem(status: 413, code: .tooLarge, title: "Too large", detail: detail))
            }
        }
    }

    private static func results(
        of request: HTTPRequest, _ result: (Int, JSONObject) -> MutationResult
    ) -> HTTPResponse {
        let body = try? JSONValue(parsing: request.bodyText)
        let mutations = body?.object?["mutations"]?.array?.compactMap(\.object) ?? []
        var results = MutationResultList()
        for (index, mutation) in mutations.enumerated() { results.append(.init(result(index, mutation))) }
        let changes = ChangesPage(records: RecordList(), cursor: "c9", more: false)
        return .json(String(decoding: PushAnswer.body(results: results, changes: .page(changes)), as: UTF8.self))
    }
}

extension ListScreen.State.Group {
    /// The group of notes: that of a type without a deadline has the name of its collection.
    static let notes = Self(rawValue: "notes")
}
