internal import ControllerKit

extension Site {
    /// Performs the verb of a form, and redirects the browser to a page, so that a reload doesn't repeat it.
    func post(_ request: PageRequest, _ session: PageSession, key: String?) async -> PageAnswer {
        // A body that can't be read yields nil, too: the connection is broken, and any answer is lost.
        guard let bytes = try? await request.body(Self.bodyMaximum) else {
            return .text(413, "The form is larger than \(Self.bodyMaximum >> 20) MiB.")
        }
        guard let parameters = Parameters(encoded: String(decoding: bytes, as: UTF8.self)) else {
            return .text(400, "The request is not a form.")
        }
        // Before all paths: another site's page can send a form, but doesn't know the token (CSRF).
        guard let token = parameters["csrf"], Token.areSame(token, session.csrf) else {
            return .text(403, "This form belongs to another session. Go back, reload the page, and submit it again.")
        }
        if request.path == "/leave" { return leave(key) }
        if request.path == "/cancel" { return await cancel(parameters, session) }
        let sender = parameters["at"].flatMap { PageAddress($0) }
        if request.path == SelectionInput.path, let sender {
            return await submitSelection(parameters, at: sender, session)
        }
        let parts = request.path.split(separator: "/").map(String.init)
        guard parts.count == 2, let screen = catalog.screens.first(where: { $0.name == parts[0] }),
            let verb = screen.verbs.first(where: { $0.name == parts[1] })
        else { return .text(404, "Unknown form.") }
        return await submit(
            verb, of: screen.name, parameters, at: sender ?? PageAddress(screen: screen.name), session)
    }

    private func submit(
        _ verb: VerbSignature, of screen: String, _ parameters: Parameters, at: PageAddress, _ session: PageSession
    ) async -> PageAnswer {
        let values: ArgumentValues
        switch FormReading(parameters, for: verb) {
        case .values(let given): values = given
        case .errors(let errors):
            session.flash = Flash(
                failure: "Not done: see the fields that are marked.", typed: .init(parameters, of: verb, errors: errors)
            )
            return .see(at.text)
        }
        // A verb that only reads has an address, which the browser can keep and reload.
        if let address = Self.address(of: verb, values, screen, renderers[screen]) { return .see(address.text) }
        if FormReading.isUnchanged(values, parameters, of: verb) {
            session.flash = Flash(notice: "Nothing was changed.")
            return .see(at.text)
        }
        // This reads the screen again, so it comes after the checks that need only the form.
        if let overtaken = await overtaken(verb, of: screen, parameters, at: at, session) {
            session.flash = overtaken
            return .see(at.text)
        }
        let work = session.begin(verb.name, at: progressAddress(of: verb, on: screen, at: at)) { [self] in
            do { return try await perform(verb, of: screen, values, at: at, session) } catch {
                session.flash = flash(after: error, verb, of: screen, parameters, at: at, session)
                return at
            }
        }
        return .see(await address(awaiting: work, session).text)
    }

    // MARK: Long work

    /// Returns the address of a work's result, or of the page that shows its progress if the work takes long.
    func address(awaiting work: PageWork, _ session: PageSession) async -> PageAddress {
        for await _ in work.pauses(of: patience) where isLong(work, session) {
            // Before the answer: the page that is requested next reads this.
            work.isDeferred = true
            return work.address
        }
        return work.result ?? work.address
    }

    private func isLong(_ work: PageWork, _ session: PageSession) -> Bool {
        session.reading(at: work.address).reading.coordinator.state(of: work.address.screen)?.progress != nil
    }

    /// Cancels a work of this session, and waits for its end.
    func cancel(_ parameters: Parameters, _ session: PageSession) async -> PageAnswer {
        // If the work has ended meanwhile, the next page shows its result.
        let at = parameters["at"].flatMap { PageAddress($0) }
        guard let work = parameters["work"].flatMap({ session.work($0) }) else { return .see(at?.text ?? "/") }
        // The page after this form shows the result. The script of the page that is left must not fetch it before.
        work.isShown = false
        work.cancel()
        return .see(await address(awaiting: work, session).text)
    }

    /// Returns the address of the page whose screen performs a verb, and so shows its progress.
    func progressAddress(of verb: VerbSignature, on screen: String, at: PageAddress) -> PageAddress {
        isPerformed(verb, of: screen, here: at) ? at : PageAddress(screen: screen)
    }

    /// Whether the screens at an address perform a verb; otherwise the screens that all sessions of the process share
    /// do.
    private func isPerformed(_ verb: VerbSignature, of screen: String, here at: PageAddress) -> Bool {
        (at.screen == screen || isChild(screen, of: at.screen)) && verb.answer == .notice
    }

    /// Returns an error if the content that this form would replace has changed elsewhere. The page then shows the
    /// present content together with the input.
    private func overtaken(
        _ verb: VerbSignature, of screen: String, _ parameters: Parameters, at: PageAddress, _ session: PageSession
    ) async -> Flash? {
        let inputs = Self.inputsWithBase(of: verb, in: parameters)
        if inputs.isEmpty { return nil }
        // If the screen can't be read, its last state is compared.
        try? await read(at, session, again: true)
        guard let shown = session.reading(at: at).reading.coordinator.presentation(of: screen) else { return nil }
        let now = renderers.bases(of: shown, parameters)
        let overtaken = inputs.filter { input in
            guard let now = now[input.name], let typed = parameters[input.name]?.withLineFeeds else { return false }
            return Base(input.name, parameters).isOvertaken(typed: typed, now: now)
        }
        if overtaken.isEmpty { return nil }
        let names = overtaken.map { $0.label.lowercased() }.joined(separator: " and ")
        var typed = Flash.Typed(parameters, of: verb)
        // Without the old bases, the form gets the present ones: sent again, it replaces the present content.
        typed.bases = [:]
        return Flash(
            failure:
                "Changed elsewhere in the meantime: \(names). The record is shown above as it is now, your text below. "
                + "Save again to keep yours.", typed: typed)
    }

    /// Returns the inputs of a sent form that have a base: arguments, and words of arguments.
    private static func inputsWithBase(
        of verb: VerbSignature, in parameters: Parameters
    ) -> [(name: String, label: String)] {
        PagePolicy.fields(of: verb).flatMap { spec in
            [(name: spec.name, label: PagePolicy.label(of: spec))]
                + FormWord.all(of: spec, in: parameters).map { (name: $0.input, label: $0.name) }
        }.filter { parameters[Base.name(of: $0.name)] != nil }
    }

    /// Returns the message of a failed verb: the question of the screen, a confirmation, or the error.
    private func flash(
        after error: any Error, _ verb: VerbSignature, of screen: String, _ parameters: Parameters, at: PageAddress,
        _ session: PageSession
    ) -> Flash {
        let shown = session.reading(at: at).reading.coordinator.presentation(of: screen)
        // The screen's question says what is missing, which is more useful than the verb's error.
        if let shown, let question = renderers.question(of: shown) {
            return Flash(
                notice: question.isRefusal ? "" : question.text, failure: question.isRefusal ? question.text : "",
                isQuestion: true)
        }
        let confirmation = Confirmation(of: error, verb, path: "/\(screen)/\(verb.name)", parameters)
        return Flash(
            failure: confirmation == nil ? Failure(error).message : "", typed: .init(parameters, of: verb),
            confirmation: confirmation)
    }

    /// Performs a verb; returns the address of the page that shows its answer.
    func perform(
        _ verb: VerbSignature, of screen: String, _ values: ArgumentValues, at: PageAddress, _ session: PageSession
    ) async throws -> PageAddress {
        let reading = isPerformed(verb, of: screen, here: at) ? session.reading(at: at).reading : session.common
        // A discarded reading must read its state again. If that fails, the verb is performed all the same.
        if !at.query.isEmpty { try? await read(at, session, again: false) }
        let (presentation, undoable) = try await performed(verb, of: screen, values, by: reading.coordinator)
        // The status in the head may have changed with the verb.
        await begin(session.head)
        let state = presentation.anyState
        let notice = state.notice ?? ""
        if state.failureCategory != nil {
            session.flash = Flash(failure: notice.isEmpty ? "There are errors; see below." : notice)
        } else {
            session.flash = Flash(
                notice: notice, undoable: undoable,
                performed: .init(screen: presentation.screenName, state: state))
        }
        return verb.answer == .state ? PageAddress(screen: presentation.screenName) : at
    }

    /// Performs a verb; returns the presentation, and the command that can be undone.
    private func performed(
        _ verb: VerbSignature, of screen: String, _ values: ArgumentValues, by coordinator: Coordinator
    ) async throws -> (presentation: any AnyPresentation, undoable: Flash.UndoableCommand?) {
        let isUndoable = verb.traits.contains(.undoable)
        guard isUndoable, let recording else {
            let shown = try await coordinator.perform(verb.name, values, on: screen)
            return (shown, isUndoable ? Flash.UndoableCommand.last : nil)
        }
        var shown: (any AnyPresentation)?
        let name = try await recording { shown = try await coordinator.perform(verb.name, values, on: screen) }
        guard let presentation = shown else { throw Failure(.failed, "“\(verb.name)” was not performed.") }
        return (presentation, name.map { Flash.UndoableCommand.named($0) })
    }

    private func isChild(_ screen: String, of container: String) -> Bool {
        catalog.screens.first { $0.name == container }?.children.contains(screen) == true
    }

    /// Returns the address that performs a verb with these arguments; nil if there is none.
    private static func address(
        of verb: VerbSignature, _ values: ArgumentValues, _ screen: String, _ look: (any WebLook)?
    ) -> PageAddress? {
        guard let look, verb.answer == .state else { return nil }
        let query = Parameters(
            verb.arguments.flatMap { spec in values[spec.name]?.texts.map { (spec.name, $0) } ?? [] })
        // An address is used only if it reads back as the same verb and arguments; an address has no cleared flags.
        guard !query.pairs.isEmpty, let reading = look.reading(query), reading.verb == verb.name,
            reading.values == values.filter({ $0.value != .flag(false) })
        else { return nil }
        return PageAddress(screen: screen, query)
    }
}

extension ArgumentValue {
    /// The value as texts of an address.
    fileprivate var texts: [String] {
        switch self {
        case .list(let words): [CommandWords.joined(words)]
        case .flag(let isSet): isSet ? ["true"] : []
        case .text, .number, .integer: [description]
        }
    }
}
