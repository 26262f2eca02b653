internal import Records

// The results of commands as they are after a review.
extension AddedRecord: ReviewableResult {
    func stored(in records: Notebook.Transaction) throws -> AddedRecord {
        AddedRecord(key: key, fields: try records.record(key)?.fields ?? fields, prefix: prefix)
    }
}

extension EditedRecord: ReviewableResult {
    func stored(in records: Notebook.Transaction) throws -> EditedRecord {
        EditedRecord(key: key, before: before, after: try records.record(key)?.fields ?? after)
    }
}

extension EditedRecords: ReviewableResult {
    func stored(in records: Notebook.Transaction) throws -> EditedRecords {
        EditedRecords(changed: try records.storedRecords(changed), unchanged: unchanged)
    }
}

extension CompletedRecords: ReviewableResult {
    func stored(in records: Notebook.Transaction) throws -> CompletedRecords {
        CompletedRecords(
            changed: try records.storedRecords(changed), unchanged: unchanged, next: try records.storedRecords(next),
            openParts: openParts)
    }
}

extension AppliedEdit: ReviewableResult {
    func stored(in records: Notebook.Transaction) throws -> AppliedEdit {
        AppliedEdit(record: try records.record(key) ?? record, outcome: outcome)
    }
}

extension Notebook.Transaction {
    /// Returns records as they are stored.
    fileprivate func storedRecords(_ former: [Record]) throws -> [Record] {
        try former.map { try record($0.key) ?? $0 }
    }
}
