public import LocalStore
public import Records

/// A record that the beginning of a word may name.
public struct FoundRecord: Sendable, Equatable {
    /// Its short id, see `ShortID`.
    public let prefix: String
    /// Its title; its id if it has none.
    public let title: String
}

/// The state of a record on this device, to be compared with the server's revisions.
public struct LocalRecord: Sendable, Equatable {
    /// The record with its unsent edits.
    public let record: Record
    /// The record as the server has it; nil: the server doesn't have it.
    public let acknowledged: Record?
    /// Whether it has edits that the server has not acknowledged.
    public let isUnsent: Bool
    /// Whether some of these edits are in the batch in flight, so that the server may have applied them.
    public let isInFlight: Bool
    /// Why the server refused the record; nil: it did not.
    public let rejection: String?

    /// The title; the id of a record without one.
    public var title: String { record.titleOrID }

    init(_ cached: CachedRecord) {
        (record, acknowledged, isUnsent) = (cached.record, cached.seen, cached.pending != nil)
        (isInFlight, rejection) = (cached.pending?.sent != nil, cached.pending?.rejection?.reason)
    }
}

/// A record that is too large on the server to be received here.
public struct UnreceivedRecord: Sendable, Equatable {
    /// The record in the last state that was received; without fields if there was none.
    public let record: Record
    /// The size of the server's state, in bytes.
    public let bytes: Int
}

/// The facts for requesting the history of a record from the server.
public struct HistorySubject: Sendable, Equatable {
    /// The record.
    public let local: LocalRecord
    /// The id of its space on the server; nil: no account has signed in yet.
    public let space: String?
    /// The id of this device.
    public let device: String
}

extension Notebook {
    /// Returns the key of the record that a reference names.
    ///
    /// - Throws: ``NotebookError`` of kind `notFound`.
    public func key(of reference: String) async throws -> RecordKey { try await read { try $0.key(of: reference) } }

    /// Returns the state of a record on this device, also of a deleted one; nil: there is none.
    public func localRecord(_ key: RecordKey) async throws -> LocalRecord? {
        try await read { try $0.localRecord(key) }
    }

    /// Returns the record that a reference names, also a deleted one, for requesting its history.
    ///
    /// - Throws: ``NotebookError`` of kind `notFound`.
    public func historySubject(_ reference: String) async throws -> HistorySubject {
        try await view { records in
            guard let cached = try records.cache.cached(records.keyIncludingDeleted(of: reference)) else {
                throw NotebookError.nothingLeft(reference)
            }
            return HistorySubject(
                local: LocalRecord(cached), space: try records.cache.replica.state().remote,
                device: try records.cache.device())
        }
    }

    /// Returns the texts in use in a field, the most used first.
    ///
    /// - Parameter field: The name of the field.
    public func textsInUse(in field: String, beginning: String, limit: Int) async throws -> [String] {
        try await read { try $0.cache.index.textsInUse(in: field, beginning: beginning, limit: limit) }
    }

    /// Returns the records that the beginning of a word may name: by their ids, else by words of their texts. For an
    /// empty one, those of the last list on this terminal.
    public func records(beginning: String, limit: Int) async throws -> [FoundRecord] {
        do {
            return try await store.write { cache in
                let records = Transaction(cache, in: self)
                return try records.found(beginning, limit: limit) { try cache.index.search([beginning], limit: limit) }
            }
        } catch {
            // A cache that can't be written can't be indexed, and an old index may lack records: titles are searched
            // instead.
            return try await read { records in
                try records.found(beginning, limit: limit) {
                    try records.cache.index.keys(titleContaining: beginning, limit: limit)
                }
            }
        }
    }
}

// What isn't synced, as far as this device knows.
extension Notebook.Transaction {
    /// Returns the state of a record on this device, also of a deleted one; nil: there is none.
    public func localRecord(_ key: RecordKey) throws -> LocalRecord? {
        try cache.cached(key).map { LocalRecord($0) }
    }

    /// Returns the numbers of records with unsent edits.
    public func unsentCounts() throws -> UnsentCounts { try cache.outbox.unsent() }

    /// Returns records that the server refused, at most `limit`; ``LocalRecord/rejection`` says why. They aren't sent
    /// again before they are edited.
    public func refusedRecords(limit: Int) throws -> [LocalRecord] {
        try cache.outbox.refused(limit: limit).map { LocalRecord($0) }
    }

    /// Returns the records that are too large on the server to be received here.
    public func unreceivedRecords() throws -> [UnreceivedRecord] {
        try cache.replica.oversized().map { UnreceivedRecord(record: $0.record, bytes: $0.bytes) }
    }

    /// Returns what happened to the former, damaged cache, until the new one is filled from the server; nil: nothing.
    /// While it isn't nil, records may be missing here.
    public func rebuildNotice() throws -> String? { try cache.replica.rebuilt() }
}

extension Notebook.Transaction {
    fileprivate func found(_ beginning: String, limit: Int, text: () throws -> [RecordKey]) throws -> [FoundRecord] {
        let named =
            beginning.isEmpty
            ? Array(try cache.index.listing(terminal: notebook.terminal).prefix(limit))
            : try cache.index.keys(beginningWith: beginning, limit: limit)
        let keys = named.isEmpty && !beginning.isEmpty ? try text() : named
        return try keys.map { FoundRecord(prefix: try cache.index.shortPrefix(of: $0.id), title: try title(of: $0)) }
    }
}
