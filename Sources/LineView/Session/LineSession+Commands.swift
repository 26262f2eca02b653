public import ControllerKit
internal import Manual
internal import Terminal

extension LineSession {
    /// The names of all commands.
    var commands: Vocabulary { language.commands }

    /// Performs one command: a verb of a screen or a command of a front end.
    func perform(_ typed: [String]) async throws {
        let words = book.aliases.expanded(typed)
        guard let said = words.first else { return }
        guard !said.hasPrefix("-") else {
            if let line = lineWithCommandFirst(words) { throw Failure(.usage, "The command comes first: \(line)") }
            throw Failure(
                .usage,
                "“\(said)” isn't a command. Options of \(program.command) itself: \(program.command) --help; others follow a command."
            )
        }
        let meant: (name: String, rest: [String])
        do { meant = try command(in: words) } catch { throw await failure(error, for: words) }
        let (name, rest) = meant
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
        let arguments: LineArguments
        do {
            arguments = try LineArguments(words, for: verb)
            format = arguments.format
            progress.isWanted = format == nil
            try check(arguments, of: verb)
            presentation = try await performAsking(command, input.values(arguments, of: command))
        } catch let failure as Failure where failure.category == .usage {
            throw Failure(.usage, failure.message + "\nUsage: \(verb.usage)")
        }
        let state = presentation.anyState
        if let format {
            try await output.write(presentation, as: format, columns: arguments.columns)
        } else if verb.answer == .state {
            try await output.write(output.lines(of: presentation))
        }
        if let failureCategory = state.failureCategory {
            throw Failure(failureCategory, state.notice ?? "There are errors; see above.")
        }
        // If the standard error is closed, the message is lost, but the command has succeeded.
        if let notice = state.notice { try? await terminal.writeMessage(notice) }
        // Without a message: the answer shows that there is no match.
        if arguments.reportsNoMatch, state.hasNoMatches { throw Failure(.failed, "") }
    }

    /// Performs a verb. If it needs a confirmation, asks a person at a terminal and performs it again. Asks again if
    /// another process has changed meanwhile what the verb concerns.
    ///
    /// - Throws: `ConfirmationNeeded` in a script; `Failure` of category `rejected` if the answer isn't yes.
    private func performAsking(_ command: ScreenVerb, _ values: ArgumentValues) async throws -> any AnyPresentation {
        guard terminal.isInteractive,
            let flag = command.verb.arguments.first(where: \.isConfirmation), values[flag.name] == nil
        else { return try await perform(command, values) }
        var confirmed = values
        while true {
            do { return try await perform(command, confirmed) } catch let needed as ConfirmationNeeded {
                // An answer that was not accepted would not be accepted the second time.
                if confirmed[flag.name] == needed.confirmation { throw needed }
                guard try await terminal.confirm(needed.question) else {
                    throw Failure(.rejected, "Nothing was changed.")
                }
                confirmed[flag.name] = needed.confirmation
            }
        }
    }

    /// Performs a verb. If it fails and its screen requests an edited text, opens the person's editor and performs the
    /// verb with the text, until it is accepted or the person gives up.
    private func perform(_ command: ScreenVerb, _ given: ArgumentValues) async throws -> any AnyPresentation {
        let verb = command.verb
        let values = verb.withEditor(given, isAvailable: terminal.isInteractive)
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
            if let presentation, isEdited { return presentation }
            // Without an editor, the command does what it does in a script.
            guard values != given else { throw error }
            return try await coordinator.perform(verb.name, given, on: command.screen)
        }
    }

    /// Returns the draft that the screen of a verb requests; nil: it requests none.
    private func draft(after command: ScreenVerb) -> LineDraft? {
        coordinator.presentation(of: command.screen).flatMap { draft(of: $0) }
    }

    private func draft<P: AnyPresentation>(of presentation: P) -> LineDraft? {
        output.renderer(of: P.PresentedScreen.self)?.draft(presentation.state)
    }

    /// Refuses a format before the verb is performed: a notice has no plain format, and only that one has columns.
    private func check(_ arguments: LineArguments, of verb: VerbSignature) throws(Failure) {
        if arguments.columns != nil, arguments.format != .plain {
            throw Failure(.usage, "--columns chooses columns of --plain. Add --plain.")
        }
        guard arguments.format == .plain, verb.answer == .notice else { return }
        throw Failure(.usage, "“\(verb.name)” has no output for --plain. Use --json.")
    }
}

extension VerbSignature {
    /// Returns whether no required argument is missing, so that an error isn't due to the line itself.
    fileprivate func hasAllRequired(in values: ArgumentValues) -> Bool {
        arguments.allSatisfy { !$0.isRequired || values[$0.name] != nil }
    }

    /// Returns the values with the flag that requests an editor, if the verb has one and the text isn't given.
    fileprivate func withEditor(_ values: ArgumentValues, isAvailable: Bool) -> ArgumentValues {
        guard isAvailable, let flag = arguments.first(where: { $0.editorUnless != nil }),
            flag.editorUnless?.allSatisfy({ values[$0] == nil }) == true
        else { return values }
        return values.merging([flag.name: .flag(true)]) { given, _ in given }
    }
}

extension LineSession: Frontend {
    public nonisolated static var name: String { "line" }
    public nonisolated static var purpose: String { "for people and scripts" }
    public nonisolated static var ownsCommand: Bool { true }

    public nonisolated static func isSession(_ words: [String], isInteractive: Bool) -> Bool {
        words.isEmpty && isInteractive
    }

    /// The commands of every prompt.
    public nonisolated static func commands(of program: Program) -> [FrontendCommand] {
        PromptCommand.all(of: program)
    }

    /// Reads commands until the input ends, or performs one.
    public func run(_ words: [String]) async throws -> CommandStatus {
        defer { end() }
        let status = words.isEmpty ? await run(prompt: prompt) : await say(words)
        for other in others { await other.stop() }
        return status
    }

    public func perform(_ command: String, _ words: [String]) async throws -> [String] {
        switch PromptCommand(rawValue: command) {
        case .help: return try help(words)
        case .view: return try await attachedViews.perform(words)
        case .completions: return try completions(words)
        case .quit:
            if let more = words.first { throw Failure(.usage, "Unexpected “\(more)” after “quit”.") }
            hasQuit = true
            return []
        case nil: throw Failure(.usage, "Unknown command “\(command)”.")
        }
    }
}

extension LineSession {
    /// Returns the completion script for a shell.
    func completions(_ words: [String]) throws -> [String] {
        guard let said = words.first, words.count == 1 else {
            throw Failure(.usage, "Which shell? Usage: \(PromptCommand.completions.usage)")
        }
        let shells = Vocabulary(noun: "shell", names: Shell.allCases.map(\.rawValue))
        // Any other failure of the name is the same: the message lists the few shells.
        guard let name = try? shells.name(meantBy: said) else { throw shells.unknown(said) }
        return Shell(rawValue: name).map { [$0.script(of: program.command)] } ?? []
    }

    /// Returns examples and all commands, or the help on one command or topic.
    func help(_ words: [String]) throws -> [String] {
        guard let first = words.first else { return book.overview().lines(on: terminal.page) }
        let two = words.prefix(2).joined(separator: " ")
        let said = book.names.contains(two) ? two : first
        let vocabulary = Vocabulary(
            noun: "command or topic", names: book.names, otherNames: book.otherNames,
            namesElsewhere: book.namesElsewhere)
        let name = try vocabulary.name(meantBy: said)
        return book.explanation(of: name).lines(on: terminal.page)
    }

    /// Returns whether a command only prints information about the program, so that it needs no home.
    public nonisolated static func needsNoHome(_ words: [String]) -> Bool {
        guard let said = words.first else { return false }
        let names = [PromptCommand.help, .completions].flatMap { [$0.rawValue] + $0.otherNames }
        return names.contains(said) || asksForHelp(Array(words.dropFirst()))
    }

    /// Returns whether the words after a command request its help: `--help` among its options, or `-h` as the only
    /// word, since `-h` among other words removes the tag `h`.
    nonisolated static func asksForHelp(_ words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains("--help") || words == ["-h"]
    }
}
