internal import Interchange
internal import LocalStore
internal import Records

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
            let key = try records.key(of: reference)
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
    ) async throws -> AppliedEdit {
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
        case let refused as RefusedEdit: [refused.message]
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
        return "“\(quoted.truncatedForDisplay)” can't be read: \(fault.reason)."
    }
}

extension Notebook.Transaction {
    fileprivate func apply(_ typed: RecordText, to reference: String, known: EditableText?) throws -> AppliedEdit {
        let key = try known?.key ?? key(of: typed, reference)
        let now = try cache.cached(key)
        guard let origin = TextOrigin(typed, known: known, now: now, makingText: notebook.editableText(of:_:)) else {
            throw NotebookError.unknownID(reference)
        }
        let changes = try TypedText(
            typed, from: origin.original, of: origin.base ?? now?.record.fields ?? [:], dates: notebook.dates,
            body: types[key.collection].body, catalog: types.catalog(for: key.collection))
        let patch = try resolvingReferences(
            in: changes.patch, of: types[key.collection], on: origin.base ?? now?.record.fields ?? [:])
        return try edit(key, patch, base: origin.base)
    }

    /// Returns the record of a text. It may be a deleted one only if the text has the fingerprint of its state.
    private func key(of typed: RecordText, _ reference: String) throws -> RecordKey {
        let key = try typed.base == nil ? key(of: reference) : keyIncludingDeleted(of: reference)
        guard let id = typed.id, id != key.id else { return key }
        throw TypedText.Unreadable(
            reasons: ["The text belongs to another record, \(id). Don't change the line “id:”."])
    }
}

extension String {
    /// The maximum number of Unicode scalars of a long value in a state.
    private static let displayLimit = 1_000

    /// The text for a state: at most its first 1 000 Unicode scalars.
    public var truncatedForDisplay: String {
        guard utf8.count > Self.displayLimit else { return self }
        // By scalars: one character may consist of any number of them.
        return String(UnicodeScalarView(unicodeScalars.prefix(Self.displayLimit)))
    }
}
