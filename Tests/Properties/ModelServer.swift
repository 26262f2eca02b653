import Records
import struct Records.Record
import SyncAPI

/// What PROTOCOL.md says of `…/changes`, as plainly as it can be said: a second opinion beside the real server, which
/// can also be restored from a backup, forget tombstones and make its pages small.
struct ModelServer {
    private(set) var epoch = "epoch0"
    private(set) var version: Int64 = 0
    private(set) var records: [RecordKey: Record] = [:]
    /// Tombstones up to this version may be gone.
    private(set) var floor: Int64 = 0
    /// For each restore, the epoch that ended and the version it went back to.
    private var restores: [(epoch: String, version: Int64)] = []
    private var outcomes: [String: Outcome] = [:]
    var pageRecords = 3
    /// Milliseconds since 1970.
    var now: Int64

    private struct Outcome {
        var body: String
        var results: JSONValue
        var versions: Set<Int64>
    }

    init(now: Int64) { self.now = now }

    /// The digest, counted record by record.
    var digest: SpaceDigest {
        var digest = SpaceDigest()
        for record in records.values where !record.deleted {
            digest.add(collection: record.key.collection, id: record.key.id, version: record.version)
        }
        return digest
    }
}

// MARK: - The owner's doings

extension ModelServer {
    /// Forgets all tombstones.
    mutating func compact() {
        records = records.filter { !$0.value.deleted }
        floor = version
    }

    /// Goes back to a backup, as PROTOCOL.md has it under "After a restored backup".
    mutating func restore(_ backup: ModelServer) {
        let (now, ended, restores) = (now, epoch, restores)
        self = backup
        self.now = now
        self.restores = restores + [(ended, backup.version)]
        epoch = "epoch\(self.restores.count)"
        version = max(backup.version + 1 << 32, now / 1_000 << 20)
    }

    /// The lowest version that was gone back to since `epoch`; 0 if that is unknown.
    private func shared(since epoch: String) -> Int64 {
        guard let first = restores.firstIndex(where: { $0.epoch == epoch }) else { return 0 }
        return restores[first...].map(\.version).min() ?? 0
    }
}

// MARK: - Reading

extension ModelServer {
    private struct Cursor {
        var epoch: String
        var position: Int64
        var horizon: Int64

        var text: String { "\(epoch).\(position).\(horizon)" }

        init(epoch: String, position: Int64, horizon: Int64) {
            (self.epoch, self.position, self.horizon) = (epoch, position, max(position, horizon))
        }

        init?(_ text: String) {
            let parts = text.split(separator: ".")
            guard parts.count == 3, let position = Int64(parts[1]), let horizon = Int64(parts[2]) else { return nil }
            self.init(epoch: String(parts[0]), position: position, horizon: horizon)
        }
    }

    /// `GET …/changes`.
    func pull(since: String?) throws(Problem) -> JSONValue {
        let cursor = try since.map(Self.cursor)
        if let problem = refusal(of: cursor) { throw problem }
        return .object(page(after: cursor, without: []))
    }

    private static func cursor(_ text: String) throws(Problem) -> Cursor {
        guard let cursor = Cursor(text) else { throw Problem(status: 400, code: .invalidCursor, title: "no cursor") }
        return cursor
    }

    private func refusal(of cursor: Cursor?) -> Problem? {
        guard let cursor else { return nil }
        if cursor.epoch != epoch || cursor.horizon > version {
            let shared = cursor.epoch == epoch ? 0 : shared(since: cursor.epoch)
            return Problem(
                status: 410, code: .epochChanged, title: "another epoch", extensions: ["shared": .integer(shared)])
        }
        if cursor.horizon < floor { return Problem(status: 410, code: .cursorExpired, title: "too old") }
        return nil
    }

    private func page(after cursor: Cursor?, without own: Set<Int64>) -> JSONObject {
        let cursor = cursor ?? Cursor(epoch: epoch, position: 0, horizon: version)
        let changed = records.values.filter { record in
            record.version > cursor.position && !own.contains(record.version)
                && (!record.deleted || record.version > cursor.horizon)
        }.sorted { $0.version < $1.version }
        let shown = changed.prefix(pageRecords)
        let more = shown.count < changed.count
        let position = more ? shown.last?.version ?? version : version
        let next = Cursor(epoch: epoch, position: position, horizon: cursor.horizon)
        var answer: JSONObject = [
            "records": .array(shown.map(\.json)), "cursor": .string(next.text), "more": .bool(more),
        ]
        if !more { answer["digest"] = .string(digest.description) }
        return answer
    }
}

// MARK: - Writing

extension ModelServer {
    /// `POST …/changes`.
    mutating func push(_ body: String, key: String, device: String) throws(Problem) -> JSONValue {
        guard let members = try? JSONValue(parsing: body).object, let mutations = members["mutations"]?.array,
            mutations.count <= Limits.mutations
        else { throw Problem(status: 422, code: .invalidBody, title: "no mutations") }
        let since = try members["since"]?.string.map(Self.cursor)
        let outcome = try outcome(of: key, body, mutations, since, device)
        var answer: JSONObject = ["results": outcome.results]
        if let problem = refusal(of: since) {
            answer["resync"] = .string(problem.code.rawValue)
        } else {
            for (name, value) in page(after: since, without: outcome.versions) { answer[name] = value }
        }
        return .object(answer)
    }

    private mutating func outcome(
        of key: String, _ body: String, _ mutations: [JSONValue], _ since: Cursor?, _ device: String
    ) throws(Problem) -> Outcome {
        if let known = outcomes[key] {
            guard known.body == body else {
                throw Problem(status: 422, code: .idempotencyKeyReused, title: "another body")
            }
            return known
        }
        if let problem = refusal(of: since), problem.code == .epochChanged { throw problem }
        let before = version
        let results = mutations.map { apply($0, device).json }
        let outcome = Outcome(body: body, results: .array(results), versions: Set(before + 1..<version + 1))
        outcomes[key] = outcome
        return outcome
    }

    private mutating func apply(_ mutation: JSONValue, _ device: String) -> MutationResult {
        let members = mutation.object ?? [:]
        let key = RecordKey(
            collection: members["collection"]?.string ?? "", id: members["id"]?.string ?? "")
        let stored = records[key]
        if members["base"]?.integer != stored?.version ?? 0 { return .conflict(current: stored) }
        let isEdit = stored.map { !$0.deleted } ?? false
        var next = stored ?? Record(key: key)
        if let patch = members["set"]?.object {
            next.fields = (isEdit ? next.fields : [:]).applying(patch)
            next.clock = clocks(of: patch, members, stored, isEdit: isEdit)
            next.deleted = false
        } else {
            next.clock = members["clock"].flatMap(FieldClocks.init(json:)) ?? next.clock
            (next.fields, next.deleted) = ([:], true)
        }
        version += 1
        (next.version, next.modifiedAt, next.modifiedBy) = (version, "2026-11-21T05:22:00.123Z", device)
        records[key] = next
        return .applied(version: version, modifiedAt: next.modifiedAt, clock: next.clock)
    }

    private func clocks(
        of patch: JSONObject, _ mutation: JSONObject, _ stored: Record?, isEdit: Bool
    ) -> FieldClocks {
        let at = mutation["at"]?.string.flatMap(HLC.init)
        var given = mutation["clock"].flatMap(FieldClocks.init(json:)) ?? FieldClocks()
        if isEdit {
            for name in patch.names where given.moments[name] == nil { given.moments[name] = at }
        } else if given.moments["*"] == nil {
            given.moments["*"] = at
        }
        var clock = isEdit ? stored?.clock ?? FieldClocks() : FieldClocks()
        for (name, moment) in given.moments {
            clock.moments[name] = lowered(moment, replacing: stored?.clock[name])
        }
        return clock
    }

    private func lowered(_ moment: HLC, replacing old: HLC?) -> HLC {
        guard Int64(moment.milliseconds) > now + 60_000 else { return moment }
        let mine = HLC(milliseconds: UInt64(now), device: moment.device)
        return old.map { max(mine, $0.by(moment.device).next) } ?? mine
    }
}
