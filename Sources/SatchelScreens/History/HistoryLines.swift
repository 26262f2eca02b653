import ControllerKit
import Controllers
import Foundation
import LineView
import Records
import Terminal

enum HistoryLines {
    /// Shows a record's revisions, the newest first: the author, the time, and the changed fields with both values.
    static let renderer = LineRenderer(HistoryScreen.self) { state, page in
        guard let record = state.record else { return ["No history is shown."] }
        let title = page.text(record.title.sanitizedLine, .strong)
        let revisions = state.revisions.flatMap { lines(of: $0, page) }
        let rest = state.more ? [HistoryScreen.State.isCutOff] : []
        return [title + (record.isDeleted ? page.text("  deleted", .warning) : "")] + revisions + rest
            + page.lines("`restore \(record.id.prefix(8)) REVISION` restores one.", .faint)
    }

    private static func lines(of revision: HistoryScreen.State.Revision, _ page: LinePage) -> [String] {
        let number = revision.version.map(String.init) ?? page.text(HistoryScreen.State.Revision.unsent, .warning)
        let when = revision.at.map { LocalTime.short($0).sanitizedLine }
        return [number + "  " + page.text([when, revision.what].compactMap(\.self).joined(separator: ", "), .faint)]
            + revision.changes.flatMap { lines(of: $0, page) }
    }

    private static func lines(of change: HistoryScreen.State.Change, _ page: LinePage) -> [String] {
        let name = change.label.lowercasedFirst
        if let diff = change.diff {
            return page.lines(name + ":", indent: 3) + diff.lines(on: page).map { "      " + $0 }
        }
        return words(for: change).map { page.lines("\(name): \($0)", indent: 3) } ?? []
    }

    /// Returns the values of a change in words; nil: it has none.
    private static func words(for change: HistoryScreen.State.Change) -> String? {
        let value = { (text: String) in change.shown(text).text(Wording.lines.moment) }
        if let elements = change.elements {
            return (elements.added.map { "+" + $0 } + elements.removed.map { "-" + $0 }).joined(separator: ", ")
        }
        return switch (change.from, change.to) {
        case (let old?, let new?): "\(value(old)) → \(value(new))"
        case (nil, let new?): value(new)
        case (let old?, nil): "\(value(old)) → (removed)"
        case (nil, nil): nil
        }
    }
}

// MARK: - The wording in all views

extension HistoryScreen.State {
    /// Shown where there may be older revisions: the server removes them after some time.
    static let isCutOff = "Older revisions are not shown."
}

extension HistoryScreen.State.Revision {
    /// The name of a revision without a version.
    static let unsent = ListScreen.State.Row.unsent

    /// The author of the revision, and what happened.
    var what: String {
        [Maker.name(isMine: isMine, name: deviceName, id: device), event.words].compactMap(\.self)
            .joined(separator: ", ")
    }
}

extension HistoryScreen.State.Event {
    /// The event in words; nil for a change, which its fields show.
    fileprivate var words: String? {
        switch self {
        case .made: "created"
        case .changed: nil
        case .deleted: "deleted"
        case .revived: "restored after a deletion"
        case .oldest: "the oldest one shown"
        }
    }
}
