internal import ControllerKit

extension WebPolish {
    /// The polish of Satchel's screens: a screen's is one file, and one name here.
    static let standard: [WebPolish] = [
        list, lists, detail, history, undo, transfer, login, session, sync, conflicts, doctor,
    ]
}

/// The polish by the screens' names.
extension [String: WebPolish] {
    static var standard: Self { Dictionary(uniqueKeysWithValues: WebPolish.standard.map { ($0.screen, $0) }) }
}
