import ControllerKit

extension LineLanguage {
    /// Whether a command may be stored in the history: not when a secret may have been typed in it. A secret is asked
    /// for or read from a file. As an option (`--password`) or as a word (`login ada hunter2`) it is refused, but it
    /// was typed.
    func isKept(_ command: String) -> Bool {
        // A command that can't be cut into words can't be understood; it may hold anything.
        guard let words = try? CommandWords.split(command) else {
            let words = command.split(whereSeparator: \.isWhitespace).map(String.init)
            return !secrets.contains { command.contains("--\($0)") } && (words.first.map { !mayTakeSecret($0) } ?? true)
        }
        guard let said = words.first else { return true }
        guard !words.contains(where: isSecretOption) else { return false }
        return words.count == 1 || !mayTakeSecret(said) || isUnderstood(said, Array(words.dropFirst()))
    }

    /// Whether a command, shortened or mistyped, may be one of those with a secret argument.
    private func mayTakeSecret(_ said: String) -> Bool {
        let meant = commands.names.contains(said) ? [said] : commands.names.filter { $0.hasPrefix(said) }
        let takers = verbs.filter { verb in verb.arguments.contains { $0.kind == .secret } }.map(\.name)
        if meant.isEmpty { return Vocabulary(noun: "command", names: takers).nearest(to: said.lowercased()) != nil }
        return takers.contains(where: meant.contains)
    }

    /// Whether all words behind a command have their places, so that none can be a secret that was put among them.
    private func isUnderstood(_ said: String, _ words: [String]) -> Bool {
        guard let name = try? commands.name(meantBy: said), let verb = verbs.first(where: { $0.name == name }) else {
            return false
        }
        return (try? LineArguments(words, for: verb)) != nil
    }

    private func isSecretOption(_ word: String) -> Bool {
        secrets.contains { word == "--\($0)" || word.hasPrefix("--\($0)=") }
    }

    private var secrets: [String] { verbs.flatMap(\.arguments).filter { $0.kind == .secret }.map(\.name) }
}
