package import GRDB

/// The rows of a query, one after the other, whose columns are read by their positions.
///
/// GRDB's `Row` makes a dictionary of the columns' names for each query, even for one without rows. That takes longer than
/// reading a row.
package struct ColumnRows {
    /// GRDB's cursor steps through the statement; what it decodes doesn't matter.
    private let cursor: FastDatabaseValueCursor<Step?>
    private let statement: SQLiteStatement

    /// Begins a query.
    ///
    /// - Parameters:
    ///   - statement: The query. Nothing else may use it until the last row is read.
    ///   - arguments: The values of its parameters.
    /// - Throws: `DatabaseError`.
    package init(_ statement: Statement, _ arguments: StatementArguments) throws {
        cursor = try Step?.fetchCursor(statement, arguments: arguments)
        self.statement = statement.sqliteStatement
    }

    /// Returns the next row, which is valid until the next call; nil: there is none.
    ///
    /// - Throws: `DatabaseError`.
    package func next() throws -> ColumnRow? { try cursor.next().map { _ in ColumnRow(statement: statement) } }

    /// Returns what `make` makes of the first row of a query; nil: it has none.
    ///
    /// - Throws: `DatabaseError`; what `make` throws.
    package static func first<Value>(
        of statement: Statement, _ arguments: StatementArguments, _ make: (ColumnRow) throws -> Value
    ) throws -> Value? {
        let rows = try ColumnRows(statement, arguments)
        // The end of the cursor resets the statement, and the row has no values then.
        return try withExtendedLifetime(rows) { try rows.next().map(make) }
    }

    /// Returns what `make` makes of each row of a query.
    ///
    /// - Throws: `DatabaseError`; what `make` throws.
    package static func all<Value>(
        of statement: Statement, _ arguments: StatementArguments, _ make: (ColumnRow) throws -> Value
    ) throws -> [Value] {
        let rows = try ColumnRows(statement, arguments)
        var values: [Value] = []
        while let row = try rows.next() { values.append(try make(row)) }
        return values
    }
}

/// The present row of `ColumnRows`.
package struct ColumnRow {
    fileprivate let statement: SQLiteStatement

    /// The value of a column, counted from 0. A value of another type is a programming error, as it is for GRDB's `Row`.
    package subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(index: Int) -> Value {
        guard let value = Value.fromStatement(statement, atUncheckedIndex: CInt(index)) else {
            preconditionFailure("column \(index) has no value of the type \(Value.self)")
        }
        return value
    }
}

private struct Step: DatabaseValueConvertible, StatementColumnConvertible {
    init() {}

    init?(sqliteStatement: SQLiteStatement, index: CInt) {}

    var databaseValue: DatabaseValue { .null }

    static func fromDatabaseValue(_ value: DatabaseValue) -> Step? { Step() }
}
