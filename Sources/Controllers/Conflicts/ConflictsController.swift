public import ControllerKit
internal import Foundation
public import Notebook
internal import Records

/// Lists and resolves conflicts.
public final class ConflictsController: Controller {
    public typealias Screen = ConflictsScreen
    public let model = Model(ConflictsScreen.State())
    private let notebook: Notebook
    private let devices: DeviceNames
    /// The conflicts that are shown; nil before the first list.
    private var list: ConflictList?
    /// The devices whose names were requested from the server, once each.
    private var askedFor: Set<String> = []

    /// Creates a controller.
    public init(_ notebook: Notebook, devices: DeviceNames) { (self.notebook, self.devices) = (notebook, devices) }

    /// The maximum number of conflicts in a state. It bounds the state: each conflict has two values and a difference.
    nonisolated static let windowSize = 200

    public func didLoad() { notifyingOfChanges(in: notebook.store) }

    public func handle(_ intent: ConflictsScreen.Intent) async throws {
        state.notice = nil
        state.draft = nil
        switch intent {
        case .list(let resolved):
            show(try await notebook.conflicts(resolved: resolved, limit: Self.windowSize), whole: false)
        case .show(let reference): show(try await notebook.conflict(reference), whole: true)
        case .resolve(let reference, let choice, let value, let revive):
            try await resolve(reference, choice, value: value, revive: revive)
            try await refresh()
        }
    }

    public func refresh() async throws {
        guard let list else { return }
        let refreshed = try await notebook.refreshed(list)
        // Another list may have been requested during the wait; its rows are newer.
        if self.list?.hasSameNumbers(as: refreshed) == true { show(refreshed, whole: state.isWhole) }
    }

    private func show(_ list: ConflictList, whole: Bool) {
        self.list = list
        state.rows = list.rows.map { .init($0, in: list, whole: whole, types: notebook.types) }
        (state.total, state.areResolved, state.isWhole) = (list.total, list.areResolved, whole)
        let unknown = Set(
            state.rows.flatMap { [$0.earlier, $0.later] }.filter { !$0.isMine && $0.deviceName == nil }
                .compactMap(\.device)
        ).subtracting(askedFor)
        guard !unknown.isEmpty else { return }
        askedFor.formUnion(unknown)
        // Without waiting: `fetch` writes the names to the cache, and that write causes a refresh.
        run { [devices] in await devices.fetch() }
    }

    private func resolve(
        _ reference: String, _ choice: ConflictsScreen.Choice, value: String?, revive: Bool
    ) async throws {
        guard choice == .edit || value == nil else {
            throw Failure(
                .usage, "A value can be given only with `edit`: `resolve \(reference) edit --value-file FILE`.")
        }
        guard let choice = ConflictChoice(choice, text: value) else {
            // The error is for views that can't edit a text. A terminal opens its editor with the draft instead.
            let text = try await notebook.conflictText(reference)
            state.draft = .init(
                conflict: text.conflict, field: text.field, isBody: text.isBody, text: text.text)
            throw Failure(
                .usage,
                "The text is missing: give it with --value-file FILE (- is the standard input), or at a terminal edit it in "
                    + "your editor.")
        }
        let resolved = try await notebook.resolve(reference, choice, revive: revive)
        state.notice =
            (resolved.wasResolved ? "Chose another value: “\(resolved.title)”." : "Resolved: “\(resolved.title)”.")
            + (resolved.replacedMerge
                ? " The text had changed since the merge, so all of it was replaced; `undo` restores it." : "")
    }
}

extension ConflictChoice {
    /// Creates a choice; nil: a text must be typed first.
    fileprivate init?(_ choice: ConflictsScreen.Choice, text: String?) {
        switch choice {
        case .mine: self = .mine
        case .theirs: self = .theirs
        case .earlier: self = .earlier
        case .later: self = .later
        case .both: self = .both
        case .keep: self = .keep
        case .edit:
            guard let text else { return nil }
            self = .text(text)
        }
    }
}

extension ConflictsScreen.State.Row {
    init(_ listed: ListedConflict, in list: ConflictList, whole: Bool, types: RecordTypes) {
        let conflict = listed.conflict
        let found = conflict.conflict
        let declared = types.catalog(for: conflict.record.collection)[found.field]
        let now = listed.hasChangedSince ? listed.record?.fields[found.field].map(\.displayText) : nil
        self.init(
            number: listed.number, id: conflict.id, record: conflict.record.id, collection: conflict.record.collection,
            title: listed.title.truncatedForDisplay, isRecordDeleted: listed.isRecordDeleted, field: found.field,
            label: declared?.label ?? found.field, isMoment: declared?.kind.isDate ?? false,
            earlier: .init(found.earlier, in: list, whole), later: .init(found.later, in: list, whole),
            diff: Self.diff(found, whole), kept: .init(found.kept), hasChangedSince: listed.hasChangedSince,
            now: whole ? now : now?.truncatedForDisplay, resolvedAt: listed.resolution?.at,
            resolvedBy: listed.resolution.flatMap { list.deviceNames[$0.device] ?? $0.device })
    }

    /// The difference, if both are texts (an absent one is empty) and one of them has several lines.
    private static func diff(_ conflict: FieldConflict, _ whole: Bool) -> TextDiff? {
        guard let old = (conflict.earlier.value ?? "").string, let new = (conflict.later.value ?? "").string,
            old.hasLines || new.hasLines
        else { return nil }
        return TextDiff(from: old, to: new, whole: whole)
    }
}

extension ConflictsScreen.State.Kept {
    fileprivate init(_ kept: FieldConflict.Kept) {
        switch kept {
        case .later: self = .later
        case .both: self = .both
        }
    }
}

extension ConflictsScreen.State.Edit {
    fileprivate init(_ edit: FieldEdit, in list: ConflictList, _ whole: Bool) {
        let shown = edit.value?.displayText
        let device = edit.moment?.device
        self.init(
            value: whole ? shown : shown?.truncatedForDisplay, isCut: !whole && shown != shown?.truncatedForDisplay,
            at: edit.moment.map(\.timestamp.date), device: device,
            deviceName: device.flatMap { list.deviceNames[$0] }, isMine: device == list.device)
    }
}
