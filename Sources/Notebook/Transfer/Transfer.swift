internal import Foundation
public import Interchange
internal import LocalStore
internal import Records

/// The result of an import, in records.
public struct ImportOutcome: Sendable, Equatable {
    /// Records that were added.
    public internal(set) var created = 0
    /// Records that the file changed.
    public internal(set) var updated = 0
    /// Records that the file did not change, with those of `deleted`.
    public internal(set) var unchanged = 0
    /// Records of the file that were deleted here and stay deleted.
    public internal(set) var deleted = 0
    /// Fields that were edited both here and in the file since the last import. The edits made here are kept.
    public internal(set) var kept = 0
    /// The first records with such fields.
    public internal(set) var keptIn: [NamedFields] = []
    /// Fields of the file that are kept for the next export, but have no effect here.
    public internal(set) var unused = 0
    /// The first records with such fields.
    public internal(set) var unusedIn: [NamedFields] = []

    /// Some fields of a record.
    public struct NamedFields: Sendable, Equatable {
        /// The id of the record.
        public let id: String
        /// Its title.
        public let title: String
        /// The names of the fields.
        public let fields: [String]
    }
}

/// The result of an export.
public struct ExportOutcome: Sendable {
    /// The document, with the counts of records and fields that the format can't hold.
    public let document: ExportedDocument
    /// Why records may be missing: the cache is new, and no sync has filled it yet. Nil: none is missing.
    public let gap: String?
}

extension Notebook {
    /// Imports a file in one transaction. Importing it again changes nothing and keeps edits made here since. Deleted
    /// records stay deleted, except those of an import that is undone.
    ///
    /// - Parameters:
    ///   - text: The text of the file.
    ///   - progress: Receives the number of imported records and the total; nil before the text is parsed.
    /// - Throws: `ImportError` if the text can't be parsed; ``NotebookError/importRefused(id:reason:)``. Then nothing
    ///   is imported.
    public func importing(
        _ text: String, as format: ExchangeFormat,
        progress: @escaping @Sendable (_ done: Int?, _ count: Int) -> Void = { _, _ in }
    ) async throws -> ImportOutcome {
        let codec = FormatCodec(format, timeZone: calendar.timeZone, types: types)
        progress(nil, 0)
        // Before the transaction, which would block the other writers while the text is checked.
        let records = try await Self.checked(text, with: codec)
        // Not reviewed: an import stores what the file has.
        return try await unreviewedCommand("import") { try $0.importing(records, with: codec, progress: progress) }
    }

    /// Exports all records that a format can hold. Satchel's own format also holds those of other programs, since it is
    /// a backup of the home; any other format holds records of declared types only.
    ///
    /// - Parameters:
    ///   - refusingGap: Whether to refuse if records may be missing, because the document replaces a file.
    ///   - begun: Receives the number of records, before they are written.
    /// - Throws: ``NotebookError/incompleteCache(_:)``.
    public func exporting(
        to format: ExchangeFormat, refusingGap: Bool = false, begun: @Sendable (_ count: Int) -> Void = { _ in }
    ) async throws -> ExportOutcome {
        let codec = FormatCodec(format, timeZone: calendar.timeZone, types: types)
        let collections = format == .satchel ? nil : types.collections
        // In one transaction: a sync that fills a new cache can't end between the two.
        let (records, rebuilt) = try await read {
            (try $0.cache.records(in: collections), try $0.rebuildNotice())
        }
        let gap = rebuilt.map { "The cache is new and not yet filled from the server; run `sync`. \($0)" }
        if let gap, refusingGap { throw NotebookError.incompleteCache(gap) }
        begun(records.count)
        return ExportOutcome(document: await Self.encoded(records, with: codec), gap: gap)
    }

    /// Checks a text outside of the caller's actor, which may be the main actor.
    @concurrent
    private static func checked(_ text: String, with codec: FormatCodec) async throws -> ImportedRecords {
        try codec.records(in: text)
    }

    /// Writes a document outside of the caller's actor, which may be the main actor.
    @concurrent
    private static func encoded(_ records: [Record], with codec: FormatCodec) async -> ExportedDocument {
        codec.encode(records)
    }
}

extension Notebook.Transaction {
    /// The number of imported records between two reports of the progress.
    private static var stride: Int { 50 }

    fileprivate func importing(
        _ records: ImportedRecords, with codec: FormatCodec, progress: (Int?, Int) -> Void
    ) throws -> ImportOutcome {
        var outcome = ImportOutcome()
        // Before the first edit, which removes the undone commands from the journal.
        let undone = try cache.journal.undoneCreations()
        for index in 0..<records.count {
            if index % Self.stride == 0 { progress(index, records.count) }
            let record = try records.record(at: index)
            outcome.count(unused: record)
            let entry = try cache.entry(record.key)
            let existing = entry.record
            let isDeleted = existing?.deleted == true
            let isRestored = isDeleted && undone.contains(record.key)
            switch codec.plan(record, existing: isRestored ? nil : existing) {
            case .unchanged:
                outcome.unchanged += 1
                if isDeleted { outcome.deleted += 1 }
            case .create(let fields) where isRestored:
                // Without the clocks of the file: an edit older than the deletion would not restore the record.
                try cache.edit(entry, fields.patch(from: existing?.fields ?? [:]))
                outcome.created += 1
            case .create(let fields):
                try store(record, fields, over: entry, codec.format, isNew: true)
                outcome.created += 1
            case .update(let patch, let kept):
                try store(record, patch, over: entry, codec.format, isNew: false)
                outcome.count(patch, kept: kept, in: record.key, title: existing?[.title])
            }
        }
        return outcome
    }

    /// Stores an imported record. The file was checked when it was parsed, but merged with the present fields a record
    /// may be larger than allowed. Satchel's own format restores every value that was once accepted, and its clock: a
    /// restored backup isn't a later edit than those that it holds.
    private func store(
        _ imported: ImportedRecord, _ patch: JSONObject, over entry: CacheEntry, _ format: ExchangeFormat, isNew: Bool
    ) throws {
        let moments = imported.moments(of: patch, isNew: isNew)
        if format == .satchel {
            try cache.edit(entry, patch, moments: moments)
            return
        }
        // The error names the record: a file has many.
        do { try edit(entry, patch, moments: moments) } catch let error as InvalidField {
            throw NotebookError.importRefused(id: imported.key.id, reason: error.description)
        } catch let error as NotebookError {
            throw NotebookError.importRefused(id: imported.key.id, reason: error.message)
        }
    }
}

extension ImportOutcome {
    /// The maximum number of records in `keptIn` and in `unusedIn`.
    private static let named = 5

    /// Counts the fields of a record of the file that have no effect here.
    fileprivate mutating func count(unused record: ImportedRecord) {
        unused += record.unused.count
        guard !record.unused.isEmpty, unusedIn.count < Self.named else { return }
        unusedIn.append(.init(id: record.key.id, title: record.fields[.title] ?? record.key.id, fields: record.unused))
    }

    /// Counts a record that existed. A change of the import mark alone isn't visible to users, so it doesn't count.
    fileprivate mutating func count(_ patch: JSONObject, kept fields: [String], in key: RecordKey, title: String?) {
        if patch.names.allSatisfy({ $0 == Record.importMarkField }) { unchanged += 1 } else { updated += 1 }
        kept += fields.count
        guard !fields.isEmpty, keptIn.count < Self.named else { return }
        keptIn.append(.init(id: key.id, title: title ?? key.id, fields: fields))
    }
}
