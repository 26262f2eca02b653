import Controllers
import Foundation
import Records

// Conflicts as all views say them.

extension ConflictsScreen.State.Row {
    /// What has become of both values, as a clause.
    func outcome(_ wording: Wording) -> String {
        if let settledAt { return "resolved \(wording.moment(settledAt))" + (settledBy.map { " by \($0)" } ?? "") }
        guard hasChangedSince else { return "kept: " + kept.words }
        guard let now else { return "the field has changed since: it was removed" }
        let shown = isMoment ? Date(rfc3339: now).map(wording.moment) ?? now : now
        let lines = shown.linesToShow
        return "the field has changed since: it is now “\(lines.first ?? "")”" + (lines.count > 1 ? " …" : "")
    }
}

extension ConflictsScreen.State.Kept {
    fileprivate var words: String {
        switch self {
        case .later: "the later value"
        case .both: "both, between markers in the text"
        }
    }
}

extension ConflictsScreen.Choice {
    /// What a button calls it.
    var label: String {
        switch self {
        case .mine: "Mine"
        case .theirs: "Theirs"
        case .earlier: "The earlier"
        case .later: "The later"
        case .both: "Both"
        case .keep: "As it is now"
        case .edit: "Edit…"
        }
    }
}

extension ConflictsScreen.State.Edit {
    /// The device that made it.
    var maker: String { Maker.name(isMine: isMine, name: deviceName, id: device) }
}
