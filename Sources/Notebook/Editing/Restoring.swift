public import Records

extension Notebook {
    /// Restores a revision of a record by an edit. The mark of an import is kept.
    ///
    /// - Returns: Whether anything changed.
    public func restore(_ revision: Record) async throws -> Bool {
        try await command("restore") { records in
            let before = try records.record(revision.key)
            var fields = revision.fields
            // The mark describes the last imported file, whatever the record contains now (Interchange.docc/0001).
            fields[Record.importMarkField] = before?.fields[Record.importMarkField]
            let after = try records.revive(revision.key, fields)
            return before?.deleted != false || before?.fields != after.fields
        }
    }
}
