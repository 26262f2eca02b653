internal import ControllerKit
internal import Controllers

/// A whole page as the template `layout` shows it.
struct PageModel {
    let title: String
    /// What the window is called.
    let documentTitle: String
    /// What the screen is for, where its content doesn't show it.
    let summary: String
    let hasSummary: Bool
    let links: [Link]
    let address: String
    let standing: [Mark]
    let notice: String
    let hasNotice: Bool
    let failure: String
    let hasFailure: Bool
    let undo: [FormModel]
    /// The long work that is under way.
    let progress: [ProgressModel]
    /// HTML.
    let content: String
    let forms: [FormModel]
    let hasForms: Bool
    let csrf: String

    /// A way to another screen.
    struct Link {
        let href: String
        let title: String
        let isHere: Bool
    }

    /// How something stands, in the page's head.
    struct Mark {
        let text: String
        let kind: String
        let href: String
    }

    /// The page of a screen.
    ///
    /// - Parameters:
    ///   - state: What the screen shows; nil before it was opened.
    init(of screen: ScreenDescription, state: (any ScreenState)?, in frame: PageFrame) throws {
        let place = frame.title(of: screen.name)
        let subject = state.flatMap { frame.polish[screen.name]?.subject($0) }
        title = subject ?? place
        documentTitle = [subject, place, "Satchel"].compactMap(\.self).joined(separator: " · ")
        summary = screen.summary
        hasSummary = frame.polish[screen.name] == nil
        let places = frame.screens.map { (screen: $0.name, place: frame.polish[$0.name]?.place ?? .further) }
        links = [WebPolish.Place.top, .further].flatMap { place in
            places.filter { $0.place == place }.map {
                Link(href: "/" + $0.screen, title: frame.title(of: $0.screen), isHere: $0.screen == screen.name)
            }
        }
        address = frame.address.text
        standing = frame.standing[SyncScreen.name].map { Mark.all(of: $0) } ?? []
        (notice, failure) = (frame.flash.notice, frame.flash.failure)
        (hasNotice, hasFailure) = (!notice.isEmpty, !failure.isEmpty)
        undo =
            frame.flash.isUndoable
            ? [frame.form("undo", id: "form-undo-notice", isCompact: true)].compactMap(\.self) : []
        progress = (state?.progress).map { [ProgressModel($0)] } ?? []
        content = try Self.content(of: screen, state, frame)
        let placed = frame.polish[screen.name]?.placed ?? []
        forms = screen.verbs.filter { !placed.contains($0.name) }.compactMap { frame.form($0.name) }
        hasForms = !forms.isEmpty
        csrf = frame.csrf
    }

    private static func content(
        of screen: ScreenDescription, _ state: (any ScreenState)?, _ frame: PageFrame
    ) throws -> String {
        guard let state else { return "" }
        if let polished = frame.polish[screen.name]?.content(state, frame) { return polished }
        return frame.templates.html("screen", ["outline": try OutlineModel(of: state)])
    }
}
