internal import ControllerKit
internal import Notebook
internal import Records

/// A change that is confirmed before it changes many records.
enum BulkChange: Sendable {
    case complete, reopen, start, stop, delete, tag, edit, annotate, pin, unpin

    /// The maximum number of titles in a question, and of characters in each.
    private static let titles = 3
    private static let titleLength = 60

    /// Returns the approval of a change. It throws `ConfirmationNeeded` for more records than
    /// `Settings.confirmationLimit`, and for a deletion by a filter, unless the user has confirmed it.
    func approval(_ types: RecordTypes, _ settings: Settings, confirmed: Bool) -> Approval {
        { selected in
            let count = selected.records.count
            let unconfirmed = self == .delete && selected.isByFilter ? 0 : settings.confirmationLimit ?? .max
            guard !confirmed, count > unconfirmed else { return }
            let titles = selected.records.prefix(Self.titles).map { "“\($0.titleOrID.prefix(Self.titleLength))”" }
            let more = count > Self.titles ? " and \(count - Self.titles) more" : ""
            throw ConfirmationNeeded(
                types.counted(selected.records) + ": " + titles.joined(separator: ", ") + more,
                action: action(on: count == 1 ? "it" : "them"))
        }
    }

    private func action(on pronoun: String) -> String {
        switch self {
        case .complete: "mark \(pronoun) as done"
        case .reopen: "reopen \(pronoun)"
        case .start: "start \(pronoun)"
        case .stop: "stop \(pronoun)"
        case .delete: "delete \(pronoun)"
        case .tag: "change \(pronoun == "it" ? "its" : "their") tags"
        case .edit: "change \(pronoun)"
        case .annotate: "annotate \(pronoun)"
        case .pin: "pin \(pronoun)"
        case .unpin: "unpin \(pronoun)"
        }
    }
}

extension RecordTypes {
    /// The number of records with their noun: `1 task`, `3 notes`; of several types: `4 records`.
    func counted(_ records: [Record]) -> String {
        let collections = Set(records.map(\.key.collection))
        let type = collections.count == 1 ? collections.first.map { self[$0] } : nil
        let noun = records.count == 1 ? type?.noun ?? "record" : type?.plural ?? "records"
        return "\(records.count) \(noun)"
    }
}
