internal import GRDB
internal import Records
internal import ServerCore

/// What a transaction can do, in SQL. Every statement is prepared once for a connection.
struct SQLiteTransaction: StoreWriting {
    let db: Database
    /// Whether the disk is full and the transaction uses the reserve: it keeps no revisions then, so that deleting
    /// needs as little space as possible.
    let usesReserve: Bool

    init(_ db: Database, usesReserve: Bool = false) {
        self.db = db
        self.usesReserve = usesReserve
    }

    /// Runs a statement that returns nothing.
    func run(_ sql: String, _ arguments: StatementArguments) throws {
        try db.cachedStatement(sql: sql).execute(arguments: arguments)
    }

    /// The first row of a query, made into a value.
    func first<Value>(
        _ sql: String, _ arguments: StatementArguments, _ make: (Row) throws -> Value
    ) throws -> Value? {
        try Row.fetchOne(db.cachedStatement(sql: sql), arguments: arguments).map(make)
    }

    /// All rows of a query, made into values.
    func all<Value>(
        _ sql: String, _ arguments: StatementArguments, _ make: (Row) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        let rows = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
        while let row = try rows.next() { values.append(try make(row)) }
        return values
    }
}

/// The file is no database of ours, or somebody wrote into it.
struct DamagedDatabase: Error {
    let what: String
}
