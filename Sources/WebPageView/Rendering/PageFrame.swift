internal import ControllerKit

/// What all parts of a page are drawn with.
struct PageFrame: Sendable {
    /// Where the page is.
    let address: PageAddress
    /// The token of this session's forms.
    let csrf: String
    /// How the last form went.
    let flash: Flash
    /// All screens.
    let screens: [ScreenDescription]
    let clock: PageClock
    let templates: Templates
    let polish: [String: WebPolish]
    /// What screens show that every page tells of, by their names.
    let standing: [String: any ScreenState]

    /// The form of a verb; nil where the catalogue has no such verb.
    func form(
        _ verb: String, id: String? = nil, fixed: [(String, String)] = [], values: [String: String] = [:],
        keepsBase: Bool = false, without: Set<String> = [], submit: String? = nil, label: String = "",
        isCompact: Bool = false
    ) -> FormModel? {
        for screen in screens {
            guard let signature = screen.verbs.first(where: { $0.name == verb }) else { continue }
            return FormModel(
                signature, of: screen.name, in: self, id: id, fixed: fixed, values: values, keepsBase: keepsBase,
                without: without, submit: submit, label: label, isCompact: isCompact)
        }
        return nil
    }

    /// What the page calls a screen.
    func title(of screen: String) -> String { polish[screen]?.title ?? Outline.label(of: screen).capitalisedFirst }
}
