internal import LocalStore
internal import Records

/// What the home remembers of its last sync, for `status`.
struct SyncNote: Sendable, Equatable {
    var syncedAt: String?
    var problem: String?

    init(syncedAt: String?, problem: String?) {
        self.syncedAt = syncedAt
        self.problem = problem
    }

    init?(_ json: JSONValue) {
        guard let members = json.object else { return nil }
        self.init(syncedAt: members["syncedAt"]?.string, problem: members["problem"]?.string)
    }

    var json: JSONValue {
        var members = JSONObject()
        members["syncedAt"] = syncedAt.map(JSONValue.string)
        members["problem"] = problem.map(JSONValue.string)
        return .object(members)
    }
}

extension Cache {
    /// What stopped the last sync is over: somebody has signed in since.
    func forgetSyncProblem() throws {
        guard var note = try syncNote().flatMap(SyncNote.init), note.problem != nil else { return }
        note.problem = nil
        try setSyncNote(note.json)
    }
}
