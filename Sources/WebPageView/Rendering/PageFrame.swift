public import ControllerKit

/// The values that all parts of a page are rendered with.
public struct PageFrame: Sendable {
    /// The address of the page.
    public let address: PageAddress
    /// The token of this session's forms.
    public let csrf: String
    /// Formats times for the user.
    public let clock: PageClock
    /// The templates of this module and of the program.
    public let templates: Templates
    /// The states of the screens of `PageDesign.headStatuses`.
    public let states: ScreenStates
    /// The result of the last form.
    let flash: Flash
    /// Whether the page shows an error: of the last form, or of reading the address.
    public var hasFailure: Bool { !flash.failure.isEmpty }
    /// The work in progress of this session on the page.
    let work: Work?
    /// All screens.
    let screens: [ScreenDescription]
    /// The verbs that change any number of records.
    let selectionVerbs: [SelectionVerb]
    let renderers: WebRenderers
    let design: PageDesign

    /// A verb that is being performed.
    struct Work {
        let id: String
        let verb: String
        /// Whether its form was already answered, so that only the page shows the progress.
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
        selectionVerbs = SelectionVerb.all(of: screens)
        renderers = WebRenderers(catalog)
    }

    /// Returns the form of a verb; nil if the catalogue has no such verb.
    ///
    /// - Parameters:
    ///   - name: The screen of the verb; nil: the first one that has it.
    ///   - id: The id of the form, unique in the page; nil: derived from the verb's name.
    ///   - fixed: Arguments as hidden inputs.
    ///   - values: The initial values of the fields.
    ///   - keepsBase: Whether it contains digests of the initial values, so that only changed fields are edits.
    ///   - without: Arguments that the form doesn't offer.
    ///   - labels: Labels of arguments, in place of those that the verb declares.
    ///   - inputs: Inputs whose values are words of an argument.
    ///   - submit: The text of the button; nil: the verb.
    ///   - label: The purpose of the form if its button doesn't say it, for screen readers.
    ///   - isCompact: Whether the verb's help is omitted.
    public func form(
        _ verb: String, of name: String? = nil, id: String? = nil, fixed: [(String, String)] = [],
        values: [String: String] = [:],
        keepsBase: Bool = false, without: Set<String> = [], labels: [String: String] = [:], inputs: [FormField] = [],
        submit: String? = nil, label: String = "", isCompact: Bool = false
    ) -> FormModel? {
        for screen in screens where name == nil || name == screen.name {
            guard let signature = screen.verbs.first(where: { $0.name == verb }) else { continue }
            return FormModel(
                signature, of: screen.name, in: self, id: id, fixed: fixed, values: values, keepsBase: keepsBase,
                without: without, labels: labels, inputs: inputs, submit: submit, label: label, isCompact: isCompact)
        }
        return nil
    }

    /// Returns the form of the verb that undoes a command; nil if the catalogue has none.
    func undoForm(of command: Flash.UndoableCommand) -> FormModel? {
        guard let verb = screens.flatMap(\.verbs).first(where: { $0.traits.contains(.undoes) }) else { return nil }
        let name = verb.undoneCommand?.name
        var fixed: [(String, String)] = []
        if case .named(let text) = command, let name { fixed = [(name, text)] }
        // Its own id, since the screen of the verb has another form of it.
        return form(
            verb.name, id: "form-\(verb.name)-notice", fixed: fixed, without: Set([name].compactMap(\.self)),
            isCompact: true)
    }

    /// Returns the title of a screen, as in the links to it.
    public func title(of screen: String) -> String {
        renderers[screen]?.title ?? Outline.label(of: screen).capitalisedFirst
    }

    /// Returns the keys on the page of a screen: its own, and those that open screens.
    func keys(on screen: String) -> [PageKey] {
        let ways = screens.compactMap { description in
            renderers[description.name]?.key.map {
                PageKey($0, title(of: description.name), .open("/" + description.name))
            }
        }
        return (renderers[screen]?.keys ?? []) + ways
    }
}
