public import ControllerKit

/// What all parts of a page are drawn with.
public struct PageFrame: Sendable {
    /// Where the page is.
    public let address: PageAddress
    /// The token of this session's forms.
    public let csrf: String
    /// Moments as people read them.
    public let clock: PageClock
    /// The templates of this module and of the program.
    public let templates: Templates
    /// What the screens show of which every page shows something, see `PageDesign.headStatuses`.
    public let states: ScreenStates
    /// How the last form went.
    let flash: Flash
    /// Whether the page reports a failure: of the last form, or of reading what the address asks for.
    public var hasFailure: Bool { !flash.failure.isEmpty }
    /// What this session has under way on the page.
    let work: Work?
    /// All screens.
    let screens: [ScreenDescription]
    let renderers: WebRenderers
    let design: PageDesign

    /// A verb that is being carried out.
    struct Work {
        let id: String
        let verb: String
        /// Whether the page alone shows that it goes on.
        let isDeferred: Bool
    }

    @MainActor
    init(
        _ catalog: Catalog, design: PageDesign, templates: Templates, address: PageAddress, csrf: String,
        flash: Flash = Flash(), clock: PageClock, states: ScreenStates = ScreenStates(),
        work: PageWork? = nil
    ) {
        (self.design, self.templates) = (design, templates)
        (self.address, self.csrf, self.flash, self.clock, self.states) = (address, csrf, flash, clock, states)
        self.work = work.map { Work(id: $0.id, verb: $0.verb, isDeferred: $0.isDeferred) }
        screens = catalog.screens
        renderers = WebRenderers(catalog)
    }

    /// The form of a verb; nil where the catalogue has no such verb.
    ///
    /// - Parameters:
    ///   - name: The screen whose verb it is; nil: the first one that has it.
    ///   - id: Unique in the page; nil: by the verb's name.
    ///   - fixed: Arguments that the page knows: they are sent without being shown.
    ///   - values: What its fields begin with.
    ///   - keepsBase: Whether it sends what they begin with, so that only what the person changes is an edit.
    ///   - without: Arguments that it doesn't offer.
    ///   - inputs: Inputs whose values are words of an argument.
    ///   - submit: What the button says; nil: the verb.
    ///   - label: What the form is for, where its button alone doesn't say it.
    public func form(
        _ verb: String, of name: String? = nil, id: String? = nil, fixed: [(String, String)] = [],
        values: [String: String] = [:],
        keepsBase: Bool = false, without: Set<String> = [], inputs: [FormField] = [], submit: String? = nil,
        label: String = "", isCompact: Bool = false
    ) -> FormModel? {
        for screen in screens where name == nil || name == screen.name {
            guard let signature = screen.verbs.first(where: { $0.name == verb }) else { continue }
            return FormModel(
                signature, of: screen.name, in: self, id: id, fixed: fixed, values: values, keepsBase: keepsBase,
                without: without, inputs: inputs, submit: submit, label: label, isCompact: isCompact)
        }
        return nil
    }

    /// The form of the verb that undoes the last command; nil where the catalogue has none.
    func undoForm() -> FormModel? {
        let verb = screens.flatMap(\.verbs).first { $0.traits.contains(.undoes) }
        return verb.flatMap { form($0.name, id: "form-\($0.name)-notice", isCompact: true) }
    }

    /// What the page calls a screen.
    func title(of screen: String) -> String { renderers[screen]?.title ?? Outline.label(of: screen).capitalisedFirst }

    /// The keys on the page of a screen: its own, and those that lead to screens.
    func keys(on screen: String) -> [PageKey] {
        let ways = screens.compactMap { description in
            renderers[description.name]?.key.map {
                PageKey($0, title(of: description.name), .open("/" + description.name))
            }
        }
        return (renderers[screen]?.keys ?? []) + ways
    }
}
