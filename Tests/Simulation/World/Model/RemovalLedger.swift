import Records
import struct Records.Record

/// The other half of the model: stores what users removed, and detects what returns. A removed tag stays removed, since
/// no other edit contains it; a dismissed conflict is never revived by a merge (SyncAPI.docc/Protocol.md, "Conflicts").
struct RemovalLedger {
    private var removedTags: [Place: Set<String>] = [:]
    /// Records that were deleted at some time: reviving one restores all of its contents.
    private var deleted: Set<Place> = []
    private var dismissed: Set<Place> = []

    private struct Place: Hashable {
        var account: String
        var record: RecordKey
    }

    /// The kinds of records whose tags merge as a set.
    private static let tagged: Set<String> = ["tasks", "notes"]

    /// Records a user's edit of a record whose state was `before` for them.
    ///
    /// - Parameter isSure: false for a failed edit, which may have been stored.
    mutating func note(_ before: Record?, _ after: Record?, of key: RecordKey, account: String, isSure: Bool) {
        let place = Place(account: account, record: key)
        guard let before, !before.deleted else { return }
        guard let after, !after.deleted else {
            deleted.insert(place)
            if key.collection == "conflicts", isSure { dismissed.insert(place) }
            return
        }
        guard isSure, Self.tagged.contains(key.collection) else { return }
        removedTags[place, default: []].formUnion(Self.tags(of: before).subtracting(Self.tags(of: after)))
    }

    /// The tags of an account that are in these records although an edit removed them.
    func returnedTags(in records: some Sequence<Record>, account: String) -> [String] {
        records.flatMap { record -> [String] in
            let place = Place(account: account, record: record.key)
            if record.deleted || deleted.contains(place) { return [] }
            return Self.tags(of: record).intersection(removedTags[place] ?? []).sorted()
                .map { "the tag \($0) of \(record.key.collection)/\(record.key.id)" }
        }
    }

    /// The conflicts of an account that are in these records although they were dismissed.
    func returnedConflicts(in records: some Sequence<Record>, account: String) -> [String] {
        records.filter { !$0.deleted && dismissed.contains(Place(account: account, record: $0.key)) }
            .map { "the conflict \($0.key.id)" }
    }

    /// Whether a user of an account has deleted this record at some time.
    func wasDeleted(_ key: RecordKey, account: String) -> Bool {
        deleted.contains(Place(account: account, record: key))
    }

    private static func tags(of record: Record) -> Set<String> {
        Set((record.fields["tags"]?.array ?? []).compactMap(\.string))
    }
}
