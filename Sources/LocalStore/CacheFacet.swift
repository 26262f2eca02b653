internal import GRDB
internal import Records

/// A part of the cache with methods of its own, in the same transaction.
protocol CacheFacet {
    var cache: Cache { get }
}

extension CacheFacet {
    var db: Database { cache.db }
    var space: Int64 { cache.space }
    var types: RecordTypes { cache.types }
    var refusal: LocalStoreError? { cache.refusal }

    func execute(_ sql: String, _ arguments: [(any DatabaseValueConvertible)?] = []) throws {
        try cache.execute(sql, arguments)
    }

    func meta<Value>(_ key: MetaKey<Value>) throws -> Value? { try cache.meta(key) }

    func setMeta<Value>(_ key: MetaKey<Value>, _ value: Value?) throws { try cache.setMeta(key, value) }
}

extension Cache {
    /// The edits that the server has not acknowledged.
    public var outbox: Outbox { Outbox(cache: self) }
    /// The state of the server's space, as far as this cache has received it.
    public var replica: Replica { Replica(cache: self) }
    /// The account and the devices that the home belongs to.
    public var account: CacheAccount { CacheAccount(cache: self) }
    /// The last commands of the person.
    public var journal: CommandJournal { CommandJournal(cache: self) }
    /// What records are found by: ids, words, numbers of lists.
    public var index: RecordIndex { RecordIndex(cache: self) }
    /// The conflicts, in numbers.
    public var conflicts: ConflictCounts { ConflictCounts(cache: self) }
    /// What the home is set to do, and what it has to report.
    public var settings: HomeSettings { HomeSettings(cache: self) }
}
