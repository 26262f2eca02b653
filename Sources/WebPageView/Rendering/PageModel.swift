internal import ControllerKit

/// A whole page, for the template `layout`.
struct PageModel {
    let brand: String
    let renewal: String
    let title: String
    /// The title of the window.
    let documentTitle: String
    /// The purpose of the screen, shown if it has no renderer.
    let summary: String
    let hasSummary: Bool
    let links: [PageLink]
    let address: String
    let headMarks: [PageMark]
    let notice: String
    let hasNotice: Bool
    let failure: String
    let hasFailure: Bool
    let undo: [FormModel]
    /// The HTML that is shown only by the page after a form, see ``WebRenderer``. Live changes leave it in place, like the
    /// notice.
    let shownOnce: String
    /// The long work in progress.
    let progress: [ProgressModel]
    /// Whether a result is pending, so that a browser without scripts reloads the page.
    let isAwaited: Bool
    /// The rendered state as HTML.
    let content: String
    let forms: [FormModel]
    let hasForms: Bool
    let keys: [KeyModel]
    let csrf: String

    /// Creates the page of a screen.
    ///
    /// - Parameters:
    ///   - presentation: The presentation of the screen; nil before it is opened.
    ///   - children: The presentations of the screens that it contains.
    @MainActor
    init(
        of screen: ScreenDescription, _ presentation: (any AnyPresentation)?, children: [any AnyPresentation] = [],
        in frame: PageFrame
    ) throws {
        let look = frame.renderers[screen.name]
        let place = frame.title(of: screen.name)
        let drawn = try presentation.map { try Drawn($0, in: frame) } ?? Drawn()
        (brand, renewal) = (frame.design.program.name, frame.design.renewal)
        title = drawn.subject ?? place
        documentTitle = [drawn.subject, place, brand].compactMap(\.self).joined(separator: " · ")
        summary = screen.summary
        hasSummary = look == nil
        let places = frame.screens.map { (screen: $0.name, place: frame.renderers[$0.name]?.place ?? .further) }
        links = [WebPlace.top, .further].flatMap { place in
            places.filter { $0.place == place }.map {
                PageLink(href: "/" + $0.screen, title: frame.title(of: $0.screen), isHere: $0.screen == screen.name)
            }
        }
        address = frame.address.text
        headMarks = frame.design.headStatuses.flatMap { $0.marks(frame.states) }
        (notice, failure) = (frame.flash.notice, frame.flash.failure)
        (hasNotice, hasFailure) = (!notice.isEmpty, !failure.isEmpty)
        shownOnce = ([presentation].compactMap(\.self) + children)
            .compactMap { Self.shownOnce(of: $0, in: frame) }.joined()
        undo = [frame.flash.undoable.flatMap { frame.undoForm(of: $0) }].compactMap(\.self)
        progress = [ProgressModel(presentation?.anyState.progress, in: frame)].compactMap(\.self)
        isAwaited = frame.work?.isDeferred == true
        content = try children.reduce(into: drawn.content) { content, child in
            let title = frame.title(of: child.screenName)
            let inner = try Drawn(child, in: frame).content
            content += frame.templates.html("child", ["title": title, "content": inner, "id": child.screenName])
        }
        let shown = [screen] + children.compactMap { child in frame.screens.first { $0.name == child.screenName } }
        forms = shown.flatMap { Self.forms(of: $0, in: frame) }
        hasForms = !forms.isEmpty
        keys = frame.keys(on: screen.name).map { KeyModel($0) }
        csrf = frame.csrf
    }

    /// Returns the HTML that a screen shows once; nil: there is none, or the screen hasn't just performed a form's verb.
    @MainActor
    private static func shownOnce<P: AnyPresentation>(of presentation: P, in frame: PageFrame) -> String? {
        guard let performed = frame.flash.performed, performed.screen == presentation.screenName,
            let state = performed.state as? P.PresentedScreen.State
        else {
            return nil
        }
        return frame.renderers.renderer(of: P.PresentedScreen.self)?.shownOnce(state, frame)
    }

    /// Returns the forms of a screen's verbs, except those that its content has.
    private static func forms(of screen: ScreenDescription, in frame: PageFrame) -> [FormModel] {
        let look = frame.renderers[screen.name]
        return screen.verbs.filter { look?.placed.contains($0.name) != true }.compactMap {
            frame.form($0.name, of: screen.name)
        }
    }

    /// The rendered state of a screen.
    private struct Drawn {
        var subject: String?
        var content = ""

        init() {}

        @MainActor
        init<P: AnyPresentation>(_ presentation: P, in frame: PageFrame) throws {
            let state = presentation.state
            let renderer = frame.renderers.renderer(of: P.PresentedScreen.self)
            subject = renderer?.subject(state)
            content =
                try renderer?.content(state, frame)
                ?? frame.templates.html("screen", ["outline": try OutlineModel(of: state)])
        }
    }
}

/// Long work, for the template `progress`.
struct ProgressModel {
    /// The description of the work and how much is done.
    let label: String
    let done: Int
    let total: Int
    /// Whether the total is known.
    let hasTotal: Bool
    /// The form that cancels the work, if this session began it; a list, since a template has no optionals.
    let cancel: [Cancel]

    struct Cancel {
        let work: String
        let csrf: String
        let at: String
    }

    init(_ progress: WorkProgress, cancel: Cancel? = nil) {
        let what = progress.what
        done = progress.done
        // `max` of the element must be greater than 0.
        total = max(progress.total ?? 0, 1)
        hasTotal = progress.total != nil
        self.cancel = [cancel].compactMap(\.self)
        if let total = progress.total {
            label = "\(what): \(done) of \(total)"
        } else {
            label = done > 0 ? "\(what): \(done)" : "\(what)…"
        }
    }

    /// Creates the progress of the page; nil if no long work is in progress.
    ///
    /// - Parameter progress: The progress in the screen's state; nil if it has none, or none any more while the result
    ///   is pending.
    init?(_ progress: WorkProgress?, in frame: PageFrame) {
        // The state may have no progress before and after the work proper; the verb is shown until the result is there.
        let verb = frame.work.flatMap { $0.isDeferred ? Outline.label(of: $0.verb).capitalisedFirst : nil }
        guard let progress = progress ?? verb.map({ WorkProgress($0) }) else { return nil }
        self.init(
            progress, cancel: frame.work.map { Cancel(work: $0.id, csrf: frame.csrf, at: frame.address.text) })
    }
}

/// A key for the template `keys`, from which the page's script reads it.
struct KeyModel {
    let key: String
    let meaning: String
    /// The name of the script's action.
    let action: String
    /// A CSS selector or an address.
    let target: String
    let row: String

    init(_ key: PageKey) {
        (self.key, meaning) = (String(key.key), key.meaning)
        (action, target, row) =
            switch key.action {
            case .open(let address): ("open", address, "")
            case .focus(let element): ("focus", element, "")
            case .next(let element, let row): ("next", element, row)
            case .previous(let element, let row): ("previous", element, row)
            case .click(let element, let row): ("click", element, row)
            }
    }
}
