public import Backend
public import ControllerKit
internal import Foundation
public import Notebook
internal import Records
internal import struct Records.Record
internal import SyncAPI

/// Shows the revisions of a record that the server keeps, and restores them.
public final class HistoryController: Controller {
    public typealias Screen = HistoryScreen
    public let model = Model(HistoryScreen.State())
    private let notebook: Notebook
    private let backend: BackendClient
    private let devices: DeviceNames

    /// Creates a controller.
    public init(_ notebook: Notebook, backend: BackendClient, devices: DeviceNames) {
        (self.notebook, self.backend, self.devices) = (notebook, backend, devices)
    }

    public func handle(_ intent: HistoryScreen.Intent) async throws {
        state.notice = nil
        switch intent {
        case .show(let reference): try await show(reference)
        case .restore(let reference, let version): try await restore(reference, version: version)
        }
    }

    private func show(_ reference: String) async throws {
        let subject = try await notebook.historySubject(reference)
        let revisions = try await revisions(of: subject)
        let names = try await devices.names(including: revisions.records.map(\.modifiedBy), besides: subject.device)
        // The whole state is set after the last `await`, so that the histories of two views never mix.
        state.record = .init(subject.local.record)
        state.revisions = HistoryScreen.State.Revision.all(revisions, subject, names: names, types: notebook.types)
        state.more = revisions.more
    }

    private func restore(_ reference: String, version: Int) async throws {
        let subject = try await notebook.historySubject(reference)
        // The server's revisions, not those in the state: the state may be about another record.
        let revisions = try await revisions(of: subject)
        let title = subject.local.title
        if subject.local.acknowledged == nil {
            throw Failure(
                .notFound, "“\(title)” was never synced, so it has no revisions. `undo` works without them.")
        }
        guard let revision = revisions.records.first(where: { $0.version == Int64(version) }) else {
            throw Failure(
                .notFound, "The server has no revision \(version) of “\(title)”. See `history \(reference)`.")
        }
        if revision.deleted {
            throw Failure(.usage, "Revision \(version) of “\(title)” is a deletion. Use `rm` to delete the record.")
        }
        state.notice =
            try await notebook.restore(revision)
            ? "Restored revision \(version) of “\(revision.titleOrID)”."
            : "Nothing to change: “\(revision.titleOrID)” already matches revision \(version)."
    }

    /// The revisions on the server. A record that was never sent has none, so no request is made for it.
    private func revisions(of subject: HistorySubject) async throws -> Revisions {
        if subject.local.acknowledged == nil { return Revisions(records: [], more: false) }
        guard let space = subject.space else { throw BackendError.signedOut(nil) }
        do { return try await backend.revisions(of: subject.local.record.key, space: space) } catch {
            throw Self.failure(error, of: subject.local.title)
        }
    }

    private static func failure(_ error: BackendError, of title: String) -> any Error {
        // The server doesn't have the record, for example after a restore from a backup, or keeps no histories.
        if case .problem(let problem, _) = error, problem.status == 404 {
            return Failure(.notFound, "The server has no history of “\(title)”.", diagnostic: problem.detail)
        }
        guard error.category == .unreachable else { return error }
        return Failure(
            .unreachable,
            "The history of “\(title)” is on the server, which can't be reached: \(error.message) "
                + "`journal` shows the last commands on this device, and `undo` undoes them, without the server.",
            diagnostic: error.diagnostic)
    }
}

// Derives what each revision changed from the stored states. Pure functions.
extension HistoryScreen.State.Revision {
    /// The revisions, with the unsent edits before them, if there are any.
    ///
    /// - Parameters:
    ///   - names: The names of devices by id.
    static func all(
        _ revisions: Revisions, _ subject: HistorySubject, names: [String: String], types: RecordTypes
    ) -> [Self] {
        let (local, device) = (subject.local, subject.device)
        let catalog = types.catalog(for: local.record.key.collection)
        let states = revisions.records
        let kept = states.indices.map { index in
            // The newest revision comes first, so the next one is the state before it.
            let before = index + 1 < states.count ? states[index + 1] : nil
            return Self(
                states[index], after: before, isOldest: before == nil && revisions.more, device: device, names: names,
                catalog: catalog)
        }
        guard local.isUnsent else { return kept }
        var unsent = Self(
            local.record, after: local.acknowledged, isOldest: false, device: device, names: names, catalog: catalog)
        (unsent.version, unsent.at, unsent.device, unsent.isMine) = (nil, nil, device, true)
        unsent.deviceName = names[device]
        return [unsent] + kept
    }

    private init(
        _ state: Record, after before: Record?, isOldest: Bool, device: String, names: [String: String],
        catalog: FieldCatalog
    ) {
        let event = Self.event(state, after: before, isOldest: isOldest)
        let isKnown = event != .oldest && event != .deleted
        let old = before.map { $0.deleted ? [:] : $0.fields } ?? [:]
        self.init(
            version: state.version, event: event, at: state.modificationDate, device: state.modifiedBy,
            deviceName: names[state.modifiedBy], isMine: state.modifiedBy == device,
            changes: isKnown ? HistoryScreen.State.Change.all(from: old, to: state.fields, catalog) : [])
    }

    private static func event(
        _ state: Record, after before: Record?, isOldest: Bool
    ) -> HistoryScreen.State.Event {
        if state.deleted { return .deleted }
        guard let before else { return isOldest ? .oldest : .made }
        return before.deleted ? .revived : .changed
    }
}

extension HistoryScreen.State.Change {
    /// The fields that differ, by name, without the mark of an import, which isn't shown to users.
    static func all(from old: JSONObject, to new: JSONObject, _ catalog: FieldCatalog) -> [Self] {
        let names = new.patch(from: old).sortedNames.filter { $0 != Record.importMarkField }
        let changes = names.map { Self($0, catalog[$0], from: old[$0], to: new[$0]) }
        // A set whose elements are only in another order is the same set.
        return changes.filter { $0.elements?.isEmpty != true }
    }

    private init(_ name: String, _ field: Field?, from old: JSONValue?, to new: JSONValue?) {
        var diff: TextDiff?
        if let old = (old ?? "").string, let new = (new ?? "").string, old.hasLines || new.hasLines {
            diff = TextDiff(from: old, to: new)
        }
        self.init(
            field: name, label: field?.label ?? name, from: old?.displayText.truncatedForDisplay,
            to: new?.displayText.truncatedForDisplay, diff: diff, isMoment: field?.kind.isDate ?? false,
            elements: field.flatMap { Elements($0.kind, from: old, to: new) })
    }
}

extension HistoryScreen.State.Change.Elements {
    /// Whether both sets have the same elements.
    fileprivate var isEmpty: Bool { added.isEmpty && removed.isEmpty }

    /// Compares two values of a field; nil: they aren't sets.
    init?(_ kind: FieldKind, from old: JSONValue?, to new: JSONValue?) {
        switch kind {
        case .words, .annotations, .references: break
        case .title, .text, .word, .path, .choice, .moment, .date, .number, .flag, .reference, .custom, .any: return nil
        }
        guard let old = (old ?? []).array, let new = (new ?? []).array else { return nil }
        let words = { (element: JSONValue) -> String in
            let text = (Annotation.element(element)?.description ?? element.displayText).truncatedForDisplay
            return kind.isReference ? String(ShortID.whole(text).prefix(ShortID.maximumLengthInList)) : text
        }
        added = new.filter { !old.contains($0) }.map(words)
        removed = old.filter { !new.contains($0) }.map(words)
    }
}

extension HistoryScreen.State.Subject {
    init(_ record: Record) {
        self.init(
            id: record.key.id, collection: record.key.collection, title: record[.title] ?? "",
            isDeleted: record.deleted)
    }
}
