import ControllerKit
import Manual

extension HelpBook {
    /// Returns the aliases that can't be used, sorted by name: they would replace a command, begin with an unknown
    /// command, or replace each other without end.
    public var refusedAliases: [RefusedAlias] {
        aliases.names.compactMap { name in reason(against: name).map { RefusedAlias(name: name, reason: $0) } }
    }

    private func reason(against name: String) -> String? {
        if commandWords.contains(name) || otherNames[name] != nil {
            return "“\(name)” is a command, which an alias can't replace; choose another name."
        }
        if let cycle = aliases.cycle(from: name) {
            return "the alias “\(name)” refers to itself: \(cycle.joined(separator: " → "))."
        }
        let meaning = aliases.meaning(of: name) ?? []
        guard let first = meaning.first, aliases.meaning(of: first) == nil, !commandWords.contains(first) else {
            return nil
        }
        do throws(Failure) {
            _ = try Vocabulary(
                noun: "command", names: commands, otherNames: otherNames, namesElsewhere: namesElsewhere
            ).name(meantBy: first)
            return nil
        } catch { return "the alias “\(name)” can't be used: \(error.message)" }
    }

    /// The first words of all commands: the name of a verb that several screens have follows the name of its screen.
    private var commandWords: Set<String> {
        Set(commands.compactMap { $0.split(separator: " ").first.map(String.init) })
    }

    /// The aliases with the commands that they mean, for the overview; empty: there are none.
    var aliasBlocks: [Manual.Block] {
        let terms = aliases.names.map { Manual.Term($0, commandLine(of: $0)) }
        return terms.isEmpty ? [] : [.heading("Your aliases"), .terms(terms)]
    }

    /// Returns the description of an alias; nil: it isn't one.
    func explanation(ofAlias name: String) -> [Manual.Block]? {
        if aliases.meaning(of: name) == nil { return nil }
        return [.text("`\(name)` is an alias of `\(commandLine(of: name))`. It is defined in your configuration file.")]
    }

    /// Returns the command that an alias means.
    func commandLine(of alias: String) -> String { CommandWords.joined(aliases.meaning(of: alias) ?? []) }
}
