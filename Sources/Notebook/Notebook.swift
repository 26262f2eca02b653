public import Foundation
public import LocalStore
public import Records

/// The operations on the records of a home, for any record type: add, edit, find, undo, import.
///
/// An operation reads and changes records in one transaction. A list is read in one snapshot, and a second, short
/// transaction stores its numbers: a single one that writes would keep other processes from writing while all records
/// are read. A search for words is one transaction, which writes, since it first indexes the records that changed.
/// Before it is read, a list updates the index of the list. If many records have changed, searches and lists by a label
/// index their words first. Both happen in short transactions.
///
/// All edits of an operation are one entry of the journal, which `undo` reverts as a whole. The methods may be called
/// from any task; they run on the cache's own thread. They throw ``NotebookError`` for errors that the user can correct,
/// and `LocalStoreError` for failures of the cache.
///
///     let notebook = Notebook(store: store, terminal: "tests")
///     let added = try await notebook.add(["Dune", "+novel"], to: Book.type)
///     try await notebook.delete([added.key.id])
///
/// An operation of your own is one call of ``command(_:_:)`` with the methods of ``Transaction``.
public struct Notebook: Sendable {
    /// The cache of the home.
    public let store: LocalStore
    /// The clock of this device.
    public let now: @Sendable () -> Date
    /// The calendar and time zone of the user.
    public let calendar: Calendar
    /// Makes the id of a new record: a UUID of version 4, in lower case.
    public let makeID: @Sendable () -> String
    /// The name of the terminal whose last list the numbers refer to.
    public let terminal: String
    /// The review of ``reviewer``, with the operation that makes its changes.
    var review: EditReview?
    /// The style in which dates are shown.
    public var dateStyle = DateWords.Style.relative

    /// Creates a notebook on a cache.
    public init(
        store: LocalStore, now: @escaping @Sendable () -> Date = { Date() }, calendar: Calendar = .current,
        makeID: @escaping @Sendable () -> String = { UUIDText.random() }, terminal: String
    ) {
        (self.store, self.now, self.calendar, self.makeID, self.terminal) = (store, now, calendar, makeID, terminal)
    }

    /// The record types, with their fields and policies.
    public var types: RecordTypes { store.types }
    /// The time and the calendar with which dates are parsed, and the style in which they are shown.
    public var dates: DateExpression.Context { .init(now: now(), calendar: calendar, style: dateStyle) }
    /// The current time, as records store it.
    public var timestamp: Timestamp { Timestamp(clamping: now()) }

    /// Reads in one transaction.
    ///
    /// - Throws: `LocalStoreError`, and what `body` throws.
    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Result
    ) async throws -> Result {
        try await store.read { try body(Transaction($0, in: self)) }
    }

    /// Reads what a view shows, and stores what belongs to the view, such as the numbers of a list. On a full disk, and
    /// in a home that can't be written, nothing is stored.
    ///
    /// - Throws: `LocalStoreError`, and what `body` throws.
    public func view<Result: Sendable>(
        _ body: @escaping @Sendable (Transaction) throws -> Result
    ) async throws -> Result {
        try await store.view { try body(Transaction($0, in: self)) }
    }

    /// Edits in one transaction, which is one entry of the journal. If `body` throws, nothing has changed.
    ///
    /// With an active ``reviewer``, `body` runs at least twice: its edits are reviewed after the first run, which is
    /// rolled back, and stored after the second one. Each run has the same time and the same new ids. `body` must have
    /// no other effects, and must use the notebook of its transaction.
    ///
    /// - Parameter name: The command as the journal shows it: `done`, `tag`.
    /// - Throws: `LocalStoreError`, ``RefusedEdit``, and what `body` throws.
    public func command<Result: Sendable>(
        _ name: String, _ body: @escaping @Sendable (Transaction) throws -> Result
    ) async throws -> Result {
        guard let review, review.reviewer.isActive else { return try await unreviewedCommand(name, body) }
        return try await reviewed(name, by: review, body)
    }

    /// Edits in one transaction like ``command(_:_:)``, without a review.
    func unreviewedCommand<Result: Sendable>(
        _ name: String, _ body: @escaping @Sendable (Transaction) throws -> Result
    ) async throws -> Result {
        try await store.command(name) { try body(Transaction($0, in: self)) }
    }
}

extension Notebook {
    /// The records as one transaction sees them. Valid only inside the closure that received it.
    public struct Transaction {
        package let cache: Cache
        /// The notebook, with its clock, calendar and record types.
        public let notebook: Notebook

        init(_ cache: Cache, in notebook: Notebook) { (self.cache, self.notebook) = (cache, notebook) }

        /// The record types, with their fields and policies.
        public var types: RecordTypes { notebook.types }

        /// Returns a record, also a deleted one; nil: the cache has nothing of it.
        public func record(_ key: RecordKey) throws -> Record? { try cache.cached(key)?.record }

        /// Returns the live records of a type, in no particular order.
        public func records(of type: RecordType) throws -> [Record] { try cache.records(in: [type.collection]) }

        /// Returns the title of a record, also of a deleted one; its id if it has none.
        public func title(of key: RecordKey) throws -> String { try record(key)?.titleOrID ?? key.id }
    }
}

extension Record {
    /// The title; the id of a record without one.
    public var titleOrID: String { self[.title] ?? key.id }
}
