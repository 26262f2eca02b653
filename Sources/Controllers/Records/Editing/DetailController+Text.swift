internal import ControllerKit
internal import Interchange
internal import LocalStore
internal import Records
internal import struct Records.Record

// Editing a record as a text: it is offered, comes back, and what was changed in it is one command.
extension DetailController {
    /// Asks for a text to be edited.
    ///
    /// - Throws: always; `Failure` of category `usage` where nobody edits the draft that the state has.
    func offer(_ reference: String) async throws {
        let (services, terminal) = (services, services.terminal)
        let offered = try await services.store.read { cache in
            let key = try cache.resolve(reference, terminal: terminal)
            return services.offeredText(of: key, try cache.cached(key)?.record.fields ?? [:])
        }
        offers.add(offered)
        state.draft = .init(record: offered.key.id, text: offered.text)
        throw Failure(
            .usage,
            "No change is given. Example: edit \(reference) --title \"Buy oat milk\" due:friday +shop; at a terminal, "
                + "`edit \(reference)` alone opens your editor.")
    }

    /// Takes a text that comes back. One that can't be read is offered again, as it was typed, with what is wrong on top.
    func take(_ text: String, of reference: String) async throws {
        let text = Reproach.removed(from: text)
        do {
            let typed = try RecordText(parsing: text)
            let taken = try await take(typed, of: reference)
            show(taken.key)
            state.notice = taken.notice
        } catch {
            guard let reasons = Self.reasons(error, in: text) else { throw error }
            let reproach = Reproach(text, reasons: reasons)
            state.draft = .init(record: reference, text: reproach.text, problem: reproach.message)
            throw Failure(.rejected, reproach.message)
        }
    }

    private func take(_ typed: RecordText, of reference: String) async throws -> TakenText {
        let (services, terminal, known) = (services, services.terminal, offers.origin(of: typed))
        return try await services.store.command("edit") { cache in
            let key = try known?.key ?? cache.key(of: typed, reference, terminal: terminal)
            let now = try cache.cached(key)
            guard let origin = TextOrigin(typed, known: known, now: now, offering: services.offeredText(of:_:)) else {
                throw Failure(.notFound, "No record's id begins with “\(reference)”. See `list`.")
            }
            let edit = try TypedText(
                typed, from: origin.offered, of: origin.base ?? now?.record.fields ?? [:], dates: services.dates,
                catalog: services.types.catalog(for: key.collection))
            return try cache.take(edit, origin, now: now?.record)
        }
    }

    /// What the person can mend in a text; nil: it isn't the text.
    private static func reasons(_ error: any Error, in text: String) -> [String]? {
        switch error {
        case let fault as RecordText.Fault: [sentence(fault, text)]
        case let unreadable as TypedText.Unreadable: unreadable.reasons
        case let invalid as InvalidField: [invalid.description]
        case let failure as Failure where failure.category == .usage: [failure.message]
        default: nil
        }
    }

    /// The line itself is told, for its number changes with what stands on top.
    private static func sentence(_ fault: RecordText.Fault, _ text: String) -> String {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let line = fault.line, lines.indices.contains(line - 1), let quoted = String(lines[line - 1]) else {
            return "The text can't be read: \(fault.reason)."
        }
        return "“\(quoted.cut)” can't be read: \(fault.reason)."
    }
}

/// What has become of a text.
private struct TakenText: Sendable {
    let key: RecordKey
    let notice: String
}

extension Services {
    /// The text of a record with these fields.
    func offeredText(of key: RecordKey, _ fields: JSONObject) -> OfferedText {
        OfferedText(key, fields, calendar: calendar, dates: dates, types: types)
    }
}

extension Cache {
    /// Which record a text is of; one that was deleted only if the text tells its state.
    fileprivate func key(of typed: RecordText, _ reference: String, terminal: String) throws -> RecordKey {
        let key =
            try typed.base == nil
            ? resolve(reference, terminal: terminal) : resolveKept(reference, terminal: terminal)
        guard let id = typed.id, id != key.id else { return key }
        throw TypedText.Unreadable(
            reasons: ["The text is that of another record, \(id): leave the line “id:” as it was."])
    }

    /// Carries out an edit of a text, merged with what has become of the record since. One that was deleted meanwhile is
    /// back: an edit wins.
    fileprivate func take(_ edit: TypedText, _ origin: TextOrigin, now: Record?) throws -> TakenText {
        let key = origin.key
        let before = now?.fields ?? [:]
        if edit.patch.isEmpty {
            let title = before[.title] ?? origin.base?[.title] ?? key.id
            return TakenText(key: key, notice: "Nothing changed in “\(title)”.")
        }
        guard let now else {
            let record = try checkedEdit(key, (origin.base ?? [:]).applying(edit.patch))
            return TakenText(key: key, notice: Self.told(record, isBack: true, merged: nil))
        }
        let merged = MergedEdit(
            edit.patch, on: now, base: origin.base, type: types[key.collection],
            at: try tick(after: now))
        let record = try checkedEdit(key, merged.patch, moments: merged.moments)
        for conflict in merged.conflicts.map({ ConflictRecord($0, in: key) }) {
            _ = try self.edit(conflict.key, conflict.fields)
        }
        return TakenText(key: key, notice: Self.told(record, isBack: now.deleted, merged: merged))
    }

    private static func told(_ record: Record, isBack: Bool, merged: MergedEdit?) -> String {
        let title = record[.title] ?? record.key.id
        if isBack { return "“\(title)” had been deleted meanwhile; with your edit it is back." }
        guard let merged, merged.isMerge else { return "Changed “\(title)”." }
        let fields = merged.conflicts.map(\.field)
        return "Changed “\(title)”, which had changed meanwhile; "
            + (fields.isEmpty
                ? "both edits are in it."
                : "of \(fields.joined(separator: " and ")) not both could stay: see `conflicts`.")
    }
}
