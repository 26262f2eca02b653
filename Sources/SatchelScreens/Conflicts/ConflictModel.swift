import ControllerKit
import Controllers
import WebPageView

/// A conflict as the template `conflict` shows it: both versions side by side, and the ways to settle it.
struct ConflictModel {
    let id: String
    let recordTitle: String
    let recordHref: String
    let wholeHref: String
    let isGone: Bool
    let field: String
    let standing: String
    let earlier: Side
    let later: Side
    let diff: [DiffModel]
    let hasDiff: Bool
    let isCut: Bool
    let choices: [Choice]
    let csrf: String
    let at: String
    let draft: String
    let hasDraft: Bool

    /// One of the two versions.
    struct Side {
        let maker: String
        let value: String
        let isRemoved: Bool
    }

    /// A way to settle it.
    struct Choice {
        let word: String
        let choiceLabel: String
    }

    init(_ row: ConflictsScreen.State.Row, draft: String?, _ frame: PageFrame) {
        id = row.id
        recordTitle = row.title
        recordHref = PageAddress(screen: DetailScreen.name, Parameters([("record", row.record)])).text
        wholeHref = PageAddress(screen: ConflictsScreen.name, Parameters([("conflict", row.id)])).text
        isGone = row.isRecordDeleted
        field = row.field
        standing = Self.standing(of: row, frame.clock)
        earlier = Side(row.earlier, frame.clock)
        later = Side(row.later, frame.clock)
        diff = row.diff.map { [DiffModel($0)] } ?? []
        hasDiff = row.diff != nil
        isCut = row.earlier.isCut || row.later.isCut || (row.diff?.left ?? 0) > 0
        choices = Self.choices(for: row)
        (csrf, at) = (frame.csrf, frame.address.text)
        self.draft = (draft ?? "").escaped(neutralising: false)
        hasDraft = draft != nil
    }

    private static func standing(of row: ConflictsScreen.State.Row, _ clock: PageClock) -> String {
        if let at = row.settledAt {
            return "Resolved \(clock.near(at))" + (row.settledBy.map { " by \($0)" } ?? "") + "."
        }
        if row.hasChangedSince {
            return row.now.map { "The field has changed since. It is now: \($0)" } ?? "The field was removed since."
        }
        return row.kept == "both"
            ? "Kept: both values, between markers in the text." : "Kept: the later value."
    }

    /// What can be chosen, with the device whose version it is; this device's first, where it made only one of them.
    private static func choices(for row: ConflictsScreen.State.Row) -> [Choice] {
        var choices: [Choice] = []
        if row.earlier.isMine != row.later.isMine {
            choices = [Choice(word: "mine", choiceLabel: "Mine"), Choice(word: "theirs", choiceLabel: "Theirs")]
        }
        choices += [
            Choice(word: "earlier", choiceLabel: "The earlier"), Choice(word: "later", choiceLabel: "The later"),
        ]
        choices.append(Choice(word: "both", choiceLabel: "Both"))
        choices.append(Choice(word: "keep", choiceLabel: "As it is now"))
        choices.append(Choice(word: "edit", choiceLabel: "Edit…"))
        return choices
    }
}

extension ConflictModel.Side {
    init(_ edit: ConflictsScreen.State.Edit, _ clock: PageClock) {
        let who =
            edit.isMine
            ? "this device" : edit.deviceName ?? edit.device.map { "device \($0.prefix(8))" } ?? "unknown device"
        maker = who + (edit.at.map { ", \(clock.near($0))" } ?? "")
        value = (edit.value ?? "") + (edit.isCut ? "…" : "")
        isRemoved = edit.value == nil
    }
}
