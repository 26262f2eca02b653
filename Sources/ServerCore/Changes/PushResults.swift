internal import Records
internal import SyncAPI

/// The results of a push as they are answered: an outcome, and for each conflict the record that the server has now.
///
/// An outcome holds no copies of records, or one small request could fill the disk; and the record that a repeated request
/// gets is newer, never wrong.
extension MutationResultList {
    /// Adds `current` to conflicts until it has about `Limits.pageBytes`; the client receives the records of later conflicts
    /// with the changes after its cursor. That a record is unknown is always said, since no page could say it.
    ///
    /// - Parameter keys: the records of the request's mutations, in their order.
    init(_ outcome: StoredOutcome, of keys: [RecordKey], space: String, from store: any StoreReading) throws {
        self.init()
        let modifiedAt = Timestamp.text(milliseconds: outcome.storedAt)
        var room = Limits.pageBytes
        for (key, result) in zip(keys, outcome.results) {
            switch result {
            case .applied(let version, let clock):
                append(.applied(version: version, modifiedAt: modifiedAt, clock: clock))
            case .rejected(let problem): append(.rejected(problem: problem))
            case .conflict where room > 0:
                let before = bytes.count
                let current = try store.records([key], in: space)[key]
                append(.conflict(current: current))
                if current != nil { room -= bytes.count - before }
            case .conflict:
                let isKnown = try store.version(of: key, in: space) != nil
                append(isKnown ? .conflictWithoutCurrent : .conflict(current: nil))
            }
        }
    }

    /// The most bytes that the results of an outcome may have.
    static func largest(_ outcome: StoredOutcome) -> Int {
        let conflicts = outcome.results.count { $0 == .conflict }
        return outcome.results.reduce(0) { $0 + $1.bytes + overhead }
            + min(conflicts * Limits.recordOnWire, Limits.largestConflicts)
    }
}
