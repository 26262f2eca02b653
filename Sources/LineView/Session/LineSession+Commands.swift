import ControllerKit
import Terminal

extension LineSession {
    /// The names of all commands.
    var commands: Vocabulary { language.commands }

    /// Performs one command: a verb of a screen or a command of a front end.
    func perform(_ words: [String]) async throws {
        guard let said = words.first else { return }
        guard !said.hasPrefix("-") else {
            throw Failure(
                .usage,
                "“\(said)” isn't a command. Options of \(program.command) itself: \(program.command) --help; others follow a command."
            )
        }
        let (name, rest) = try command(in: words)
        if Self.asksForHelp(rest) { return try await output.write(help([name])) }
        let frontends: [any Frontend] = [self] + others
        if let owner = frontends.first(where: { type(of: $0).commands(of: program).contains { $0.name == name } }) {
            return try await output.write(try await owner.perform(name, rest))
        }
        try await performVerb(name, rest)
    }

    /// Returns the name of the command at the beginning of the words, and the words after it. A verb that several
    /// screens have follows the name of its screen, so that the command's name has two words.
    private func command(in words: [String]) throws(Failure) -> (name: String, rest: [String]) {
        let two = words.prefix(2).joined(separator: " ")
        if words.count > 1, commands.names.contains(two) { return (two, Array(words.dropFirst(2))) }
        let said = words.first ?? ""
        // Throws the failure that names the screens that have it.
        if !commands.names.contains(said), coordinator.catalog.commands.contains(where: { $0.verb.name == said }) {
            _ = try coordinator.catalog.command(said)
        }
        return (try commands.name(meantBy: said), Array(words.dropFirst()))
    }

    private func performVerb(_ name: String, _ words: [String]) async throws {
        guard let command = coordinator.catalog.commands.first(where: { $0.spelling == name }) else { return }
        let verb = command.spelled
        let presentation: any AnyPresentation
        let format: OutputFormat?
        do {
            let arguments = try LineArguments(words, for: verb)
            format = arguments.format
            progress.isWanted = format == nil
            try check(format, of: verb)
            presentation = try await perform(command, input.values(arguments, of: command))
        } catch let failure as Failure where failure.category == .usage {
            throw Failure(.usage, failure.message + "\nUsage: \(verb.usage)")
        }
        let state = presentation.anyState
        if let format {
            try await output.write(presentation, as: format)
        } else if verb.answer == .state {
            try await output.write(output.lines(of: presentation))
        }
        if let failureCategory = state.failureCategory {
            throw Failure(failureCategory, state.notice ?? "There are errors; see above.")
        }
        if let notice = state.notice {
            try await terminal.writeMessage(notice)
        }
    }

    /// Performs a verb. If it fails and its screen requests an edited text, opens the person's editor and performs the
    /// verb with the text, until it is accepted or the person gives up.
    private func perform(_ command: ScreenVerb, _ values: ArgumentValues) async throws -> any AnyPresentation {
        let verb = command.verb
        do { return try await coordinator.perform(verb.name, values, on: command.screen) } catch {
            // If the command contains the text already, its error is reported and no editor is opened.
            guard verb.hasAllRequired(in: values), let draft = draft(after: command), values[draft.argument] == nil
            else { throw error }
            var presentation: (any AnyPresentation)?
            let isEdited: Bool
            do {
                isEdited = try await terminal.edit(draft.text, ending: draft.ending) { text in
                    do {
                        presentation = try await coordinator.perform(
                            verb.name, draft.values(values, with: text), on: command.screen)
                        return nil
                    } catch {
                        guard let again = self.draft(after: command) else { throw error }
                        return EditAgain(again.text, because: error)
                    }
                }
            } catch let refused as RefusedDraft {
                let spec = verb.arguments.first { $0.name == draft.argument }
                throw KeptDraft(refused: refused, option: spec.map { "\(command.spelling) … --\($0.optionName)" })
            }
            guard isEdited, let presentation else { throw error }
            return presentation
        }
    }

    /// Returns the draft that the screen of a verb requests; nil: it requests none.
    private func draft(after command: ScreenVerb) -> LineDraft? {
        coordinator.presentation(of: command.screen).flatMap { draft(of: $0) }
    }

    private func draft<P: AnyPresentation>(of presentation: P) -> LineDraft? {
        output.renderer(of: P.PresentedScreen.self)?.draft(presentation.state)
    }

    /// Refuses a format before the verb is performed: a notice has no plain format.
    private func check(_ format: OutputFormat?, of verb: VerbSignature) throws(Failure) {
        guard format == .plain, verb.answer == .notice else { return }
        throw Failure(.usage, "“\(verb.name)” has no output for --plain. Use --json.")
    }
}

extension VerbSignature {
    /// Returns whether no required argument is missing, so that an error isn't due to the line itself.
    fileprivate func hasAllRequired(in values: ArgumentValues) -> Bool {
        arguments.allSatisfy { !$0.isRequired || values[$0.name] != nil }
    }
}
