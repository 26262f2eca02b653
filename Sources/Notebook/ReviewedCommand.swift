internal import Foundation
internal import LocalStore
internal import Records

/// A reviewer, with the operation that makes its changes.
struct EditReview: Sendable {
    let reviewer: any EditReviewer
    /// Edits a record, and checks the values like those of a user.
    let edit: @Sendable (Notebook.Transaction, RecordKey, FieldChanges) throws -> Void
}

extension Notebook {
    /// The maximum number of reviews of one command, if other processes or a sync change its records meanwhile.
    package static let reviewLimit = 3

    /// Performs a command whose edits are reviewed first: a dry run finds its edits, they are reviewed, and it is
    /// performed. No transaction is open during the review. All edits are stored in one transaction, or none.
    ///
    /// - Throws: ``RefusedEdit``, ``NotebookError/changedDuringReview``, and what `body` throws.
    func reviewed<Result: Sendable>(
        _ name: String, by review: EditReview, _ body: @escaping @Sendable (Transaction) throws -> Result
    ) async throws -> Result {
        let ids = RepeatedIDs(makeID)
        // Both runs of `body` have the same time and the same new ids, so that they make the same changes.
        let moment = now()
        let frozen = Notebook(
            store: store, now: { moment }, calendar: calendar, makeID: { ids.next() }, terminal: terminal)
        for _ in 0..<Self.reviewLimit {
            ids.restart()
            let plan = try await store.dryRun(name) { _ = try body(Transaction($0, in: frozen)) }
            let edits = plan.map { PlannedEdit($0.key, before: $0.before, after: $0.after) }
            let reviewed = edits.isEmpty ? [] : try await review.reviewer.review(edits)
            ids.restart()
            let result = try await store.command(
                name, expecting: plan, { try body(Transaction($0, in: frozen)) },
                amend: { cache, result in
                    let records = Transaction(cache, in: frozen)
                    try records.amend(edits, by: reviewed, of: review)
                    return try edits == reviewed ? result : records.stored(result)
                })
            if let result { return result }
        }
        throw NotebookError.changedDuringReview
    }
}

extension Notebook.Transaction {
    /// Makes the changes of a review. They are checked like the edits of a user.
    fileprivate func amend(_ edits: [PlannedEdit], by reviewed: [PlannedEdit], of review: EditReview) throws {
        let planned = Dictionary(edits.map { ($0.key, $0) }) { first, _ in first }
        for edit in reviewed {
            guard let before = planned[edit.key]?.after, let after = edit.after, before != after else { continue }
            let patch = after.patch(from: before)
            do {
                try FieldLimits.checkChoices(of: patch, on: before, types.catalog(for: edit.key.collection))
                try review.edit(self, edit.key, FieldChanges(json: patch))
            } catch {
                guard let reason = Self.reason(error) else { throw error }
                let title = before[.title] ?? edit.key.id
                throw RefusedEdit(
                    "A hook changed “\(title)” to values that can't be stored. \(reason)",
                    advice: review.reviewer.advice)
            }
        }
    }

    /// Returns the result of a command with the records as a review has changed them.
    fileprivate func stored<Result>(_ result: Result) throws -> Result {
        guard let reviewable = result as? any ReviewableResult else { return result }
        return try reviewable.stored(in: self) as? Result ?? result
    }

    /// Returns the message of an error about a value; nil: the error has another cause.
    private static func reason(_ error: any Error) -> String? {
        switch error {
        case let invalid as InvalidField: invalid.description
        case let invalid as InvalidRecord: invalid.description
        case let invalid as InputError: invalid.description
        case let invalid as NotebookError: invalid.message
        default: nil
        }
    }
}

/// A result of a command with the states of records, which a review may change afterwards: notices name what is stored,
/// not what was typed.
protocol ReviewableResult {
    /// Returns the result with the records as they are stored.
    func stored(in records: Notebook.Transaction) throws -> Self
}
