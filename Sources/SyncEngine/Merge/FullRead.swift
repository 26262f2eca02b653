internal import LocalStore
internal import Records
internal import struct Records.Record

/// A read of a whole space, and how its records are merged. While one is under way nothing is pushed. It is stored with
/// the cursor, so that it continues after a crash. New cases may be added.
public enum FullRead: Sendable, Equatable {
    /// The device has received nothing yet.
    case first
    /// Everything is read again within one epoch; `Reason` says why.
    case resync(Reason)
    /// The server was restored from a backup; up to version `shared` both sides have the same past.
    case restored(shared: Int64)

    /// Why everything is read again within one epoch. New cases may be added.
    public enum Reason: String, Sendable {
        /// The server no longer keeps all tombstones since the cursor.
        case cursorExpired = "cursor-expired"
        /// The cache doesn't hold what the server has.
        case digestMismatch = "digest-mismatch"
        /// The home receives additional collections.
        case additionalCollections = "additional-collections"
    }

    /// Whether the cached states of the server are of a former epoch.
    var isAfterRestore: Bool {
        switch self {
        case .restored: true
        case .first, .resync: false
        }
    }

    /// Returns the read that must follow when the server requires `other` while this one is under way: what a restore
    /// has lost stays lost.
    func followed(by other: FullRead) -> FullRead {
        switch (self, other) {
        case (.restored(let a), .restored(let b)): .restored(shared: min(a, b))
        case (.restored, _): self
        case (.first, _), (.resync, _): other
        }
    }
}

// MARK: - Stored

extension FullRead {
    /// The read as the cache stores it.
    var json: JSONValue {
        switch self {
        case .first: ["mode": "first"]
        case .resync(let reason): ["mode": .string(reason.rawValue)]
        case .restored(let shared): ["mode": "epoch-changed", "shared": .integer(shared)]
        }
    }

    /// Parses what the cache stores; nil: it has another form.
    init?(json: JSONValue) {
        guard let members = json.object, let mode = members["mode"]?.string else { return nil }
        self.init(mode: mode, shared: members["shared"]?.integer)
    }

    private init?(mode: String, shared: Int64?) {
        switch mode {
        case "first": self = .first
        // 0 is the safe assumption: what the server lacks then counts as lost, and not as deleted.
        case "epoch-changed": self = .restored(shared: shared ?? 0)
        default:
            guard let reason = Reason(rawValue: mode) else { return nil }
            self = .resync(reason)
        }
    }
}

extension FullRead: Codable {
    private enum CodingKeys: CodingKey {
        case mode, shared
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let mode = try members.decode(String.self, forKey: .mode)
        let shared = try members.decodeIfPresent(Int64.self, forKey: .shared)
        guard let read = FullRead(mode: mode, shared: shared) else {
            throw DecodingError.dataCorruptedError(forKey: .mode, in: members, debugDescription: mode)
        }
        self = read
    }

    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .first: try members.encode("first", forKey: .mode)
        case .resync(let reason): try members.encode(reason.rawValue, forKey: .mode)
        case .restored(let shared):
            try members.encode("epoch-changed", forKey: .mode)
            try members.encode(shared, forKey: .shared)
        }
    }
}

// MARK: - Merging

extension CachedRecord {
    /// Merges a record that a full read after a restore has received, if the last state seen here is of a former epoch
    /// (SyncAPI.docc/Protocol.md, "After a restored backup").
    func applyingRestored(_ theirs: Record, shared: Int64, types: RecordTypes) -> MergeOutcome {
        // Case 1: the server still has what was seen here.
        guard let seen, seen.version > shared else { return applyingRemote(theirs, types: types) }
        // Case 2: the server lost what was seen here, so the local state is sent, on top of what the server has.
        if theirs.version <= shared { return MergeOutcome(next: givenBack(on: theirs)) }
        // Case 3: other devices have sent it again, or edited it, since the restore.
        let pending = pending ?? Pending(at: lastEdit, edits: 0)
        return merging(theirs, base: seen.common(with: theirs), pending: pending, types: types)
    }

    /// Whether the server had this record, live, and has lost the last state that was seen here by its restore.
    ///
    /// - Parameter theirs: What the server has of it after the restore; nil: nothing.
    func isLost(by theirs: Record?, shared: Int64) -> Bool {
        guard let seen, !seen.deleted, seen.version > shared else { return false }
        return theirs.map { $0.version <= shared } ?? true
    }

    /// Applies that a full read has ended without this record; nil: the record is removed.
    ///
    /// - Parameter isFormer: Whether the last state seen here is of a former epoch.
    func applyingAbsence(from read: FullRead, isFormer: Bool) -> CachedRecord? {
        // The server wasn't known to have it, so it wasn't deleted there.
        guard let seen else { return self }
        if case .restored(let shared) = read, isFormer, seen.version > shared { return givenBack(on: nil) }
        return applyingRemoteDeletion()
    }

    /// Returns the record, to be sent whole (a deletion as one) on top of what the server has.
    private func givenBack(on theirs: Record?) -> CachedRecord {
        let pending = Pending(at: pending?.at ?? lastEdit, edits: (pending?.edits ?? 0) + 1)
        var next = CachedRecord(record: record, mirror: theirs?.keepingFields(of: record), pending: pending)
        next.record.version = theirs?.version ?? 0
        return next.tidied()
    }

    private var lastEdit: HLC { record.clock.latest ?? HLC(milliseconds: 0, device: "unknown") }
}

extension Record {
    /// Returns the common base of this state of a former epoch and a state that other devices have restored since: the
    /// fields of which both hold the same edit, by value and clock; nil: there are none.
    ///
    /// An edit of such a field, on either side, was made with knowledge of the other side's value, so the later edit
    /// replaces it without a conflict. For the other fields it is unknown whether one edit was made with knowledge of
    /// the other, so both values are kept (record 0001 of this module).
    fileprivate func common(with theirs: Record) -> Record? {
        if deleted || theirs.deleted { return nil }
        let names = fields.names.filter { name in
            fields[name] == theirs.fields[name] && clock[name] != nil && clock[name] == theirs.clock[name]
        }
        if names.isEmpty { return nil }
        var common = self
        common.fields = JSONObject(names.compactMap { name in fields[name].map { (name, $0) } })
        return common
    }
}
