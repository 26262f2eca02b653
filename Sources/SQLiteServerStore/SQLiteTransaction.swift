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

    /// Deletes rows up to a limit, and subtracts them from it.
    ///
    /// - Parameters:
    ///   - key: the column that identifies a row.
    ///   - bytes: the size of a row, as an expression.
    ///   - condition: which rows.
    /// - Returns: whether none is left.
    func delete(
        from table: String, key: String = "rowid", bytes: String, where condition: String,
        _ arguments: StatementArguments, limit: inout RemovalLimit
    ) throws -> Bool {
        var keys: [DatabaseValue] = []
        var isOver = true
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT \(key), \(bytes) FROM \(table) WHERE \(condition)"), arguments: arguments)
        // The rows after the limit are not read.
        while isOver, let row = try rows.next() {
            if limit.take(row[1]) { keys.append(row[0]) } else { isOver = false }
        }
        let delete = try db.cachedStatement(sql: "DELETE FROM \(table) WHERE \(key) = ?")
        for key in keys { try delete.execute(arguments: [key]) }
        return isOver
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

/// The file isn't a database of this server, or another program wrote into it.
struct DamagedDatabase: Error {
    let what: String
}
