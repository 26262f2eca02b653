internal import ControllerKit

/// A whole page as the template `layout` shows it.
struct PageModel {
    let brand: String
    let renewal: String
    let title: String
    /// What the window is called.
    let documentTitle: String
    /// What the screen is for, where its content doesn't show it.
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
    /// The long work that is under way.
    let progress: [ProgressModel]
    /// Whether the result is still to come, so that a browser without scripts asks again.
    let isAwaited: Bool
    /// HTML.
    let content: String
    let forms: [FormModel]
    let hasForms: Bool
    let keys: [KeyModel]
    let csrf: String

    /// The page of a screen.
    ///
    /// - Parameters:
    ///   - presentation: What shows the screen; nil before it was opened.
    ///   - children: What shows the screens that it contains.
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
        undo = frame.flash.isUndoable ? [frame.undoForm()].compactMap(\.self) : []
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

    /// The forms of a screen's verbs, but for those that its content has.
    private static func forms(of screen: ScreenDescription, in frame: PageFrame) -> [FormModel] {
        let look = frame.renderers[screen.name]
        return screen.verbs.filter { look?.placed.contains($0.name) != true }.compactMap {
            frame.form($0.name, of: screen.name)
        }
    }

    /// What the state of a screen looks like.
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

/// A long work as the template `progress` shows it.
struct ProgressModel {
    /// What is being done, and how much of it.
    let label: String
    let done: Int
    let total: Int
    /// Whether the total is known.
    let hasTotal: Bool
    /// The form that cancels it, where this session has begun it.
    let cancel: [Cancel]

    struct Cancel {
        let work: String
        let csrf: String
        let at: String
    }

    init(_ progress: WorkProgress, cancel: Cancel? = nil) {
        let what = progress.what
        done = progress.done
        total = max(progress.total ?? 0, 1)
        hasTotal = progress.total != nil
        self.cancel = [cancel].compactMap(\.self)
        if let total = progress.total {
            label = "\(what): \(done) of \(total)"
        } else {
            label = done > 0 ? "\(what): \(done)" : "\(what)…"
        }
    }

    /// Nil where no long work is under way on the page.
    ///
    /// - Parameter progress: What the screen's state shows; nil: nothing, or no longer, while the verb's result is awaited.
    init?(_ progress: WorkProgress?, in frame: PageFrame) {
        let verb = frame.work.flatMap { $0.isDeferred ? Outline.label(of: $0.verb).capitalisedFirst : nil }
        guard let progress = progress ?? verb.map({ WorkProgress($0) }) else { return nil }
        self.init(
            progress, cancel: frame.work.map { Cancel(work: $0.id, csrf: frame.csrf, at: frame.address.text) })
    }
}

/// A key as the template `keys` shows it, from where the page's script reads it.
struct KeyModel {
    let key: String
    let meaning: String
    /// What the script does: the name of an action.
    let action: String
    /// The element or the address.
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
