import ControllerKit
import Foundation
import Terminal

extension LineSession {
    /// What can be said.
    var commands: Vocabulary { language.commands }

    /// Carries out one command: a verb of a screen, or one of the line view's own.
    func carryOut(_ words: [String]) async throws {
        guard let said = words.first else { return }
        guard !said.hasPrefix("-") else {
            throw Failure(
                .usage,
                "“\(said)” isn't a command. Options of \(program.command) itself: \(program.command) --help; others follow a command."
            )
        }
        let (name, rest) = try command(in: words)
        if Self.asksForHelp(rest) { return try await write(help([name])) }
        let frontends: [any Frontend] = [self] + others
        if let owner = frontends.first(where: { type(of: $0).commands(of: program).contains { $0.name == name } }) {
            return try await write(try await owner.perform(name, rest))
        }
        try await performVerb(name, rest)
    }

    /// The name of the command that words begin with, and the words after it: a verb that several screens have is said after
    /// its screen.
    private func command(in words: [String]) throws(Failure) -> (name: String, rest: [String]) {
        let two = words.prefix(2).joined(separator: " ")
        if words.count > 1, commands.names.contains(two) { return (two, Array(words.dropFirst(2))) }
        let said = words.first ?? ""
        // Says which screens have it.
        if !commands.names.contains(said), coordinator.catalog.commands.contains(where: { $0.verb.name == said }) {
            _ = try coordinator.catalog.command(said)
        }
        return (try commands.name(meantBy: said), Array(words.dropFirst()))
    }

    private func performVerb(_ name: String, _ words: [String]) async throws {
        guard let command = coordinator.catalog.commands.first(where: { $0.spelling == name }) else { return }
        let verb = command.spelled
        let presentation: any AnyPresentation
        let form: LineForm?
        do {
            let arguments = try LineArguments(words, for: verb)
            form = arguments.form
            progress.isWanted = form == nil
            try check(form, of: verb)
            presentation = try await perform(command, values(arguments, of: command))
        } catch let failure as Failure where failure.category == .usage {
            throw Failure(.usage, failure.message + "\nUsage: \(verb.usage)")
        }
        let state = presentation.anyState
        if let form {
            try await write(presentation, as: form)
        } else if verb.answer == .state {
            try await write(lines(of: presentation))
        }
        if let shortcoming = state.shortcoming {
            throw Failure(shortcoming, state.notice ?? "There are errors; see above.")
        }
        if let notice = state.notice {
            try await terminal.writeMessage(notice)
        }
    }

    /// Performs a verb; where the screen asks for a text to be edited, and the person can, once more with that, until it is
    /// taken or given up.
    private func perform(_ command: ScreenVerb, _ values: ArgumentValues) async throws -> any AnyPresentation {
        let verb = command.verb
        do { return try await coordinator.perform(verb.name, values, on: command.screen) } catch {
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

    /// The text that the screen of a verb asks for.
    private func draft(after command: ScreenVerb) -> LineDraft? {
        coordinator.presentation(of: command.screen).flatMap { draft(of: $0) }
    }

    private func draft<P: AnyPresentation>(of presentation: P) -> LineDraft? {
        renderer(of: P.PresentedScreen.self)?.draft(presentation.state)
    }

    /// The lines of a screen, then those of the screens that it contains, each under its name.
    func lines<P: AnyPresentation>(of presentation: P) throws -> [String] {
        let own = try lines(of: presentation.state, on: P.PresentedScreen.self)
        return try coordinator.children(of: presentation).reduce(into: own) { result, child in
            let name = Outline.label(of: child.screenName).neutralised()
            result += ["", terminal.page.text(name, .strong)] + (try lines(of: child))
        }
    }

    /// The lines of a screen's state: by its renderer, or plainly.
    func lines<S: Screen>(of state: S.State, on screen: S.Type) throws -> [String] {
        let page = terminal.page
        return try renderer(of: screen)?.lines(state, page) ?? PlainLines.lines(of: state, on: page)
    }

    /// How this medium shows a screen; nil: plainly.
    func renderer<S: Screen>(of screen: S.Type) -> LineRenderer<S>? { coordinator.catalog.renderer() }

    /// The values of a command: those in files are read, and secrets are asked for after all else is checked.
    private func values(_ arguments: LineArguments, of command: ScreenVerb) async throws -> ArgumentValues {
        let verb = command.verb
        var values = arguments.values
        for spec in verb.arguments where spec.kind == .secret || spec.kind == .contents {
            guard let file = arguments.files[spec.name] else { continue }
            values[spec.name] = .text(try await contents(of: file, for: spec, arguments))
        }
        let asked = verb.arguments.filter { $0.kind == .secret && $0.isRequired && values[$0.name] == nil }
        if asked.isEmpty { return values }
        try await coordinator.check(verb.name, values, on: command.screen)
        for spec in asked { values[spec.name] = .text(try await secret(spec)) }
        return values
    }

    private func contents(
        of file: String, for spec: ArgumentSpec, _ arguments: LineArguments
    ) async throws -> String {
        guard file != "-" || !readsScript else {
            throw Failure(.usage, "“-” is the script itself here; give \(spec.name) in a file.")
        }
        if terminal.isFolder(file) {
            guard spec.acceptsFolder(arguments.values) else {
                throw Failure(.usage, "“\(file)” is a folder. Give the path of a file.")
            }
            return try Self.json(try await terminal.notes(in: file))
        }
        let text = try await terminal.contents(of: file)
        // A password file ends with a line end that is no part of the password.
        return spec.kind == .secret ? String(text.prefix { !$0.isNewline }) : text
    }

    /// The texts of a folder's files as a JSON object, by their paths.
    private static func json(_ files: [String: String]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(files), as: UTF8.self)
    }

    private func secret(_ spec: ArgumentSpec) async throws -> String {
        guard terminal.isInteractive else {
            throw Failure(
                .usage,
                "The input is not a terminal, so “\(spec.name)” can't be asked for. Give --\(spec.optionName) FILE.")
        }
        let secret = try await terminal.readSecret(prompt: spec.name + ": ")
        guard spec.isNewSecret else { return secret }
        guard try await terminal.readSecret(prompt: "\(spec.name) again: ") == secret else {
            throw Failure(.usage, "The two entries for “\(spec.name)” do not match. Nothing was changed. Try again.")
        }
        return secret
    }

    func write(_ lines: [String]) async throws {
        guard !lines.isEmpty else { return }
        let text = lines.joined(separator: "\n") + "\n"
        if isLongerThanScreen(text), try await browse(text) { return }
        try await terminal.write(text, to: .data)
    }

    /// Whether a person would see only the end of a text. (The prompt needs a row, too.)
    private func isLongerThanScreen(_ text: String) -> Bool {
        guard terminal.isInteractive, let rows = terminal.page.rows else { return false }
        return text.count(where: \.isNewline) >= rows
    }

    /// Shows a text in the pager; false, with a message, when there is none that works.
    private func browse(_ text: String) async throws -> Bool {
        do {
            try await terminal.browse(text)
            return true
        } catch {
            try await terminal.writeMessage(Failure(error).message)
            return false
        }
    }
}

extension VerbSignature {
    /// Whether nothing is missing, so that a refusal isn't one of the words themselves.
    fileprivate func hasAllRequired(in values: ArgumentValues) -> Bool {
        arguments.allSatisfy { !$0.isRequired || values[$0.name] != nil }
    }
}
