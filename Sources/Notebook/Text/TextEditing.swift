internal import Interchange
internal import LocalStore
public import Records

/// The result of an edited text.
public struct AppliedText: Sendable, Equatable {
    /// The key of the record.
    public let key: RecordKey
    /// Its title.
    public let title: String
    /// What happened.
    public let outcome: Outcome

    /// The possible results.
    public enum Outcome: Sendable, Equatable {
        /// The text matches the record.
        case unchanged
        /// The record was edited.
        case edited
        /// The record had been deleted; the edit revived it.
        case revived
        /// The record had changed since the text was made, and both edits were merged. `conflicts`: the fields of which
        /// only one edit could be kept.
        case merged(conflicts: [String])
    }
}

/// The refusal of an edited text, with the text to edit again. Nothing was changed.
public struct RefusedText: Error, Sendable, Equatable {
    /// The errors, in sentences.
    public let message: String
    /// The text as it was typed, with the message on top as comments.
    public let text: String
}

extension Notebook {
    /// Returns the text of a record, to be edited.
    ///
    /// - Throws: ``NotebookError``.
    public func text(of reference: String) async throws -> EditableText {
        try await read { records in
            let key = try records.resolve(reference)
            return records.notebook.editableText(of: key, try records.record(key)?.fields ?? [:])
        }
    }

    /// Applies an edited text to its record. It is merged with the changes of the record since the text was made.
    ///
    /// - Parameters:
    ///   - reference: The record, if the text doesn't name it.
    ///   - originals: The texts that were returned last, as merge bases.
    /// - Throws: ``RefusedText`` if the text can't be parsed; ``NotebookError``.
    public func apply(
        _ text: String, to reference: String, originals: EditableTexts = EditableTexts()
    ) async throws -> AppliedText {
        let text = Refusal.removed(from: text)
        do {
            let typed = try RecordText(parsing: text)
            let known = originals.origin(of: typed)
            return try await command("edit") { try $0.apply(typed, to: reference, known: known) }
        } catch {
            guard let reasons = Self.reasons(error, in: text) else { throw error }
            let refusal = Refusal(text, reasons: reasons)
            throw RefusedText(message: refusal.message, text: refusal.text)
        }
    }

    fileprivate func editableText(of key: RecordKey, _ fields: JSONObject) -> EditableText {
        EditableText(key, fields, dates: dates, types: types)
    }

    /// Returns the errors that the user can correct in a text; nil: the error has another cause.
    private static func reasons(_ error: any Error, in text: String) -> [String]? {
        switch error {
        case let fault as RecordText.Fault: [sentence(fault, text)]
        case let unreadable as TypedText.Unreadable: unreadable.reasons
        case let invalid as InvalidField: [invalid.description]
        case let invalid as InvalidRecord: [invalid.description]
        case let invalid as InputError: [invalid.description]
        case let refused as NotebookError where refused.kind == .invalid: [refused.message]
        default: nil
        }
    }

    /// Returns the message about a line. It quotes the line, since its number changes with the comments at the top.
    private static func sentence(_ fault: RecordText.Fault, _ text: String) -> String {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let line = fault.line, lines.indices.contains(line - 1), let quoted = String(lines[line - 1]) else {
            return "The text can't be read: \(fault.reason)."
        }
        return "“\(quoted.cut)” can't be read: \(fault.reason)."
    }
}

extension Notebook.Transaction {
    fileprivate func apply(_ typed: RecordText, to reference: String, known: EditableText?) throws -> AppliedText {
        let key = try known?.key ?? key(of: typed, reference)
        let now = try cache.cached(key)
        guard let origin = TextOrigin(typed, known: known, now: now, makingText: notebook.editableText(of:_:)) else {
            throw NotebookError.unknownID(reference)
        }
        let edit = try TypedText(
            typed, from: origin.original, of: origin.base ?? now?.record.fields ?? [:], dates: notebook.dates,
            body: types[key.collection].body, catalog: types.catalog(for: key.collection))
        return try apply(edit, origin, now: now?.record)
    }

    /// Returns the record of a text. It may be a deleted one only if the text has the fingerprint of its state.
    private func key(of typed: RecordText, _ reference: String) throws -> RecordKey {
        let key = try typed.base == nil ? resolve(reference) : resolveIncludingDeleted(reference)
        guard let id = typed.id, id != key.id else { return key }
        throw TypedText.Unreadable(
            reasons: ["The text belongs to another record, \(id). Don't change the line “id:”."])
    }

    /// Carries out the edit of a text, merged with later changes of the record. A record that was deleted in the
    /// meantime is revived: an edit wins over a deletion.
    private func apply(_ edit: TypedText, _ origin: TextOrigin, now: Record?) throws -> AppliedText {
        let key = origin.key
        if edit.patch.isEmpty {
            let title = now?[.title] ?? origin.base?[.title] ?? key.id
            return AppliedText(key: key, title: title, outcome: .unchanged)
        }
        guard let now else {
            let record = try self.edit(key, (origin.base ?? [:]).applying(edit.patch))
            return AppliedText(key: key, title: record.titleOrID, outcome: .revived)
        }
        let merged = MergedEdit(
            edit.patch, on: now, base: origin.base, type: types[key.collection], at: try cache.tick(after: now))
        let record = try self.edit(key, merged.patch, moments: merged.moments)
        for conflict in merged.conflicts.map({ ConflictRecord($0, in: key) }) {
            try self.edit(conflict.key, conflict.fields)
        }
        let outcome: AppliedText.Outcome =
            now.deleted ? .revived : merged.isMerge ? .merged(conflicts: merged.conflicts.map(\.field)) : .edited
        return AppliedText(key: key, title: record.titleOrID, outcome: outcome)
    }
}

extension String {
    /// The maximum number of Unicode scalars of a long value in a view.
    package static let cutLength = 1_000

    /// The text, or the beginning of a very long text.
    package var cut: String {
        guard utf8.count > Self.cutLength else { return self }
        // By scalars: one character may consist of any number of them.
        return String(UnicodeScalarView(unicodeScalars.prefix(Self.cutLength)))
    }
}

/// The edit of a text, applied to a record that may have changed since the text was made. Pure.
struct MergedEdit: Sendable, Equatable {
    /// The fields to change in the present record; `null` removes one.
    let patch: JSONObject
    /// The clocks of the changed fields.
    let moments: [String: HLC]
    /// The fields of which only one edit could be kept, with both values.
    let conflicts: [FieldConflict]
    /// Whether the record had changed, so that a merge was necessary.
    let isMerge: Bool

    /// Merges an edit with a record by the merge rules of its type, like the edits of two devices.
    ///
    /// - Parameters:
    ///   - edit: The changed fields; `null` removes one.
    ///   - base: The fields in the original; nil: unknown, so both values of each field that differs are kept.
    ///   - now: The present record; for a tombstone, its last live state.
    ///   - type: The record type.
    ///   - moment: The clock of the edit, later than all clocks of the record.
    init(_ edit: JSONObject, on now: Record, base: JSONObject?, type: RecordType, at moment: HLC) {
        guard base != now.fields else {
            self.init(patch: edit, moments: [:], conflicts: [], isMerge: false)
            return
        }
        var clock = FieldClocks()
        clock.stamp(edit.names, at: moment)
        let mine = ThreeWayMerge.Side(fields: (base ?? now.fields).applying(edit), clock: clock)
        // Without a base, the fields that the user left unchanged keep their present values.
        let common = base ?? now.fields.applying(JSONObject(edit.names.map { ($0, .null) }))
        let merged = ThreeWayMerge.merge(
            base: .init(fields: common, clock: FieldClocks()), mine: mine,
            theirs: .init(fields: now.fields, clock: now.clock), type: type)
        let patch = merged.fields.patch(from: now.fields)
        let moments = patch.names.compactMap { name in merged.clock[name].map { (name, $0) } }
        self.init(
            patch: patch, moments: Dictionary(moments) { first, _ in first }, conflicts: merged.conflicts,
            isMerge: true)
    }

    private init(patch: JSONObject, moments: [String: HLC], conflicts: [FieldConflict], isMerge: Bool) {
        (self.patch, self.moments, self.conflicts, self.isMerge) = (patch, moments, conflicts, isMerge)
    }
}
