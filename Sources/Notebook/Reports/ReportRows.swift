internal import LocalStore
internal import Records

extension Notebook.Transaction {
    /// Reads the records that match a query, in no particular order. A report counts them in one pass.
    func matching(_ query: Query, in collections: [String]) throws -> [QueryRow] {
        let read = try rows(for: query, in: collections)
        let found = read.rows.filter { query.matches($0, in: read.context) }
        try query.checkMatches()
        return found
    }

    /// Reads the records that match a query, in its order.
    func selected(_ query: Query, in collections: [String]) throws -> [QueryRow] {
        let read = try rows(for: query, in: collections)
        let found = query.select(from: read.rows, in: read.context)
        try query.checkMatches()
        return found
    }

    private func rows(for query: Query, in collections: [String]) throws -> ReadRows {
        let rows = try candidates(for: query, in: collections).rows
        // Links lead to records of all types.
        let links = query.readsLinks ? try allLinks() : RecordLinks()
        return ReadRows(rows: rows, context: try context(of: query, links))
    }
}

/// Records, and what a query reads besides them.
private struct ReadRows {
    let rows: [QueryRow]
    let context: QueryContext
}

extension Notebook {
    /// Returns the number of records that a list with the same words has, within the current context.
    ///
    /// - Throws: ``NotebookError``, `InputError`.
    public func count(_ filter: [String] = []) async throws -> RecordCount {
        try await read { records in
            let found = try records.matching(try records.query(filter), in: records.types.listed)
            return RecordCount(count: found.count, context: try records.contexts().current)
        }
    }
}

/// The number of records that a filter selects.
public struct RecordCount: Sendable, Equatable {
    /// The number.
    public let count: Int
    /// The context within which they were counted; nil: none.
    public let context: FilterContext?
}
