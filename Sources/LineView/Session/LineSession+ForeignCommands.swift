import ControllerKit

// Lines as they are typed in other programs: `3 done`, `3`, `+shop list`, `overdue`. They are answered with the line to type.
extension LineSession {
    /// Returns the failure for a line that doesn't begin with a command: one that names the line to type, if the words have
    /// the form of another program, or else the given one.
    func failure(_ unknown: Failure, for words: [String]) async -> Failure {
        // At a prompt, the name of the program is a habit of the shell.
        if words[0].lowercased() == program.command, words.count > 1 {
            let line = CommandWords.joined(Array(words.dropFirst()))
            return Failure(.usage, "This prompt is \(program.name)'s already. Type: \(line)")
        }
        if let hint = hint(for: words[0].lowercased()) {
            return Failure(.usage, "Unknown command “\(words[0])”. \(hint)")
        }
        if let line = lineWithCommandFirst(words) { return Failure(.usage, "The command comes first: \(line)") }
        if words.count == 1, Int(words[0]) != nil, let verb = verbs.first(where: \.showsRecord) {
            return Failure(.usage, "Unknown command “\(words[0])”. Did you mean “\(verb.name) \(words[0])”?")
        }
        guard words.count == 1, let lister = verbs.first(where: \.listsWithoutWords),
            let kind = lister.arguments.first?.completion
        else { return unknown }
        let isCondition = await language.source(kind, words[0]).contains { $0.text == words[0] }
        guard isCondition else { return unknown }
        return Failure(.usage, "Unknown command “\(words[0])”. Did you mean “\(lister.name) \(words[0])”?")
    }

    /// Returns the program's hint for a command of another program; nil: it has none.
    private func hint(for word: String) -> String? {
        program.foreignCommandHints[word]
            ?? program.foreignCommandHints.first { $0.key.hasSuffix(".") && word.hasPrefix($0.key) }?.value
    }

    /// Returns the line with the command before the records or the filter; nil: no such command is among the words.
    func lineWithCommandFirst(_ words: [String]) -> String? {
        guard let first = words.first, isReferenceOrFilter(first) else { return nil }
        for index in words.indices.dropFirst() {
            guard let verb = selectingVerb(words[index]) else { continue }
            let (before, after) = (Array(words[..<index]), Array(words[(index + 1)...]))
            let areReferences = before.allSatisfy { $0.first?.isNumber == true }
            // Where further words follow, a filter is one word, in quotes.
            let isOneWord = verb.arguments.first?.placement == .position && !areReferences
            let selection = isOneWord ? [before.joined(separator: " ")] : before
            return CommandWords.joined([verb.name] + selection + after)
        }
        return nil
    }

    /// Whether a word that isn't a command may select records; a mistyped command gets a suggestion instead.
    private func isReferenceOrFilter(_ word: String) -> Bool {
        guard let character = word.first else { return false }
        return !character.isLetter || word.contains(":") || commands.nearest(to: word) == nil
    }

    /// Returns the verb with this name, here or in another program, if it begins with records or a filter.
    private func selectingVerb(_ name: String) -> VerbSignature? {
        let typed = name.lowercased()
        let meant = commands.otherNames[typed] ?? commands.namesElsewhere[typed] ?? typed
        return verbs.first { $0.name == meant && $0.selectsRecords }
    }

    private var verbs: [VerbSignature] { language.verbs }
}

extension VerbSignature {
    /// Whether its first argument selects records.
    fileprivate var selectsRecords: Bool {
        guard let first = arguments.first else { return false }
        return first.kind == .record || first.completion.namesRecords || traits.contains(.readOnly) && first.hasSigns
    }

    /// Whether it shows the one record that it takes, without a request to a server.
    fileprivate var showsRecord: Bool {
        guard let first = arguments.first, arguments.count == 1 else { return false }
        return traits == .readOnly && first.kind == .record && first.isRequired && first.placement == .position
    }

    /// Whether it lists records, all of them without further words.
    fileprivate var listsWithoutWords: Bool {
        guard let first = arguments.first else { return false }
        return traits.contains(.readOnly) && first.hasSigns && !first.isRequired
    }
}
