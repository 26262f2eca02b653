import ControllerKit
import Controllers
import Foundation
import WebPageView

enum HistoryPage {
    /// Shows the last revisions of a record.
    static let renderer = WebRenderer(
        HistoryScreen.self, title: "History", place: .elsewhere, placed: ["restore"],
        reading: { parameters in
            parameters["record"].map { PageReading(verb: "history", values: ["record": .text($0)]) }
        },
        subject: { $0.record?.title },
        content: { state, frame in
            state.record == nil ? "" : frame.templates.html("history", HistoryModel(state, frame))
        })
}

/// A record's history for the template `history`.
struct HistoryModel {
    let href: String
    let isDeleted: Bool
    let revisions: [Revision]
    let hasMore: Bool
    let rest: String

    /// One change of the record.
    struct Revision {
        let name: String
        let what: String
        let when: String
        let changes: [Change]
        let restore: [FormModel]
    }

    /// A change of a field.
    struct Change {
        let field: String
        let before: String
        let hasBefore: Bool
        let after: String
        let hasAfter: Bool
        let isValues: Bool
        let diff: [DiffModel]
        let hasDiff: Bool

        init(_ change: HistoryScreen.State.Change, _ clock: PageClock) {
            field = change.label.capitalisedFirst
            let text = { (value: String) in change.shown(value).text(in: clock.calendar.timeZone, clock.long) }
            if let elements = change.elements {
                before = elements.removed.joined(separator: ", ")
                after = elements.added.joined(separator: ", ")
                (hasBefore, hasAfter) = (!elements.removed.isEmpty, !elements.added.isEmpty)
            } else {
                (before, hasBefore) = (change.from.map(text) ?? "", change.from != nil)
                (after, hasAfter) = (change.to.map(text) ?? "", change.to != nil)
            }
            diff = change.diff.map { [DiffModel($0)] } ?? []
            hasDiff = !diff.isEmpty
            isValues = !hasDiff
        }
    }

    init(_ state: HistoryScreen.State, _ frame: PageFrame) {
        let id = state.record?.id ?? ""
        href = PageAddress(screen: DetailScreen.name, Parameters([("record", id)])).text
        isDeleted = state.record?.isDeleted ?? false
        revisions = state.revisions.map { Revision($0, of: id, frame) }
        (hasMore, rest) = (state.more, HistoryScreen.State.isCutOff)
    }
}

extension HistoryModel.Revision {
    init(_ revision: HistoryScreen.State.Revision, of record: String, _ frame: PageFrame) {
        name =
            revision.version.map { "Revision \($0)" } ?? HistoryScreen.State.Revision.unsent.capitalisedFirst
        what = revision.what.capitalisedFirst
        when = revision.at.map(frame.clock.near) ?? ""
        changes = revision.changes.map { .init($0, frame.clock) }
        // Unsent edits have no version on the server, so there is nothing to restore.
        restore =
            revision.version.map { version in
                [
                    frame.form(
                        "restore", id: "form-restore-\(version)",
                        fixed: [("record", record), ("revision", "\(version)")],
                        submit: "Restore", label: "Restore revision \(version)", isCompact: true)
                ].compactMap(\.self)
            } ?? []
    }
}
