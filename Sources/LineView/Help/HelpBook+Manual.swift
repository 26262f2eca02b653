internal import ControllerKit
public import Manual

extension HelpBook {
    /// The program's man page, made of what `help` shows.
    ///
    /// - Parameter process: the options of the process itself.
    public func manual(of process: CommandHelp) -> Manual {
        let name = process.commandName
        let sections = [
            Manual.Section("Synopsis", [.text(synopsis(of: process))]),
            Manual.Section("Description", [process.discussion].compactMap { $0.map(Manual.Block.text) }),
            Manual.Section("Options", [.terms(process.options.map(\.term))]),
            Manual.Section("Examples", tour.flatMap { $0.blocks(of: name) }),
            Manual.Section("Commands", commandBlocks(of: name)),
        ]
        let about = topics.map { Manual.Section($0.title, $0.blocks) }
        return Manual(
            name: name, part: 1, summary: process.abstract?.withoutStop ?? name, version: program.version,
            day: program.day,
            sections: (sections + about).filter { !$0.blocks.isEmpty } + [seeAlso])
    }

    private func synopsis(of process: CommandHelp) -> String {
        (["`\(process.commandName)`"] + process.options.map(\.usage) + ["[COMMAND …]"]).joined(separator: " ")
    }

    private func commandBlocks(of program: String) -> [Manual.Block] {
        let intro = Manual.Block.text("A command may be shortened to any unambiguous beginning.")
        let verbs = verbs.flatMap { verb -> [Manual.Block] in
            [.heading(verb.usage), .text(verb.help)]
                + (verb.terms.isEmpty ? [] : [.terms(verb.terms)])
                + verb.examples.blocks(of: program)
        }
        let own = own.flatMap { command -> [Manual.Block] in
            [.heading(command.usage), .text(command.help)] + command.examples.blocks(of: program)
        }
        return [intro] + verbs + own
    }

    private var seeAlso: Manual.Section { Manual.Section("See also", [.text(program.related.joined(separator: ", "))]) }
}

extension ExampleGroup {
    fileprivate func blocks(of program: String) -> [Manual.Block] {
        [.heading(title)] + examples.blocks(of: program)
    }
}

extension [Example] {
    /// The lines as they are typed in a shell, with what they do.
    fileprivate func blocks(of program: String) -> [Manual.Block] {
        isEmpty ? [] : [.terms(map { Manual.Term("\(program) \($0.line)", $0.meaning) })]
    }
}

extension String {
    fileprivate var withoutStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
