public import ControllerKit
public import Manual

/// The contents of `help` and of the manual page: the commands of a catalogue and of the front ends, and topics.
public struct HelpBook: Sendable {
    let program: Program
    let screens: [ScreenDescription]
    private let commandsOfScreens: [String: [ScreenVerb]]
    /// The commands of the front ends.
    let own: [FrontendCommand]
    let topics: [HelpTopic]
    let tour: [ExampleGroup]
    /// The user's own names of commands.
    let aliases: CommandAliases

    /// Creates the help for a catalogue.
    ///
    /// - Parameters:
    ///   - program: The program's name and version.
    ///   - frontends: The front ends, in addition to the line view, whose commands it describes.
    ///   - tour: The examples at the beginning.
    ///   - topics: The topics in addition to the commands.
    ///   - aliases: The user's own names of commands.
    @MainActor
    public init(
        _ catalog: Catalog, of program: Program, frontends: [any Frontend.Type] = [], tour: [ExampleGroup] = [],
        topics: [HelpTopic] = [], aliases: CommandAliases = CommandAliases()
    ) {
        self.aliases = aliases
        screens = catalog.screens
        commandsOfScreens = Dictionary(grouping: catalog.commands, by: \.screen)
        verbs = catalog.commands.map(\.spelled)
        self.program = program
        let examples = [verbs.first?.name, topics.first?.name].compactMap(\.self)
        own = frontends.flatMap { $0.commands(of: program) } + PromptCommand.all(of: program, explaining: examples)
        self.tour = tour
        self.topics = topics
    }

    /// The names of all commands, topics and aliases. An alias is explained only if nothing else has its name.
    var names: [String] { commands + topics.map(\.name) + aliases.names }

    /// The names of all commands.
    var commands: [String] { verbs.map(\.name) + own.map(\.name) }

    /// The verbs of all screens.
    let verbs: [VerbSignature]

    /// The other names of all commands, with the command that each means. A name that several commands declare is none.
    var otherNames: [String: String] {
        let meanings = pairs(\.otherNames, \.otherNames)
        return Dictionary(grouping: meanings, by: \.0).compactMapValues { $0.count == 1 ? $0.first?.1 : nil }
    }

    /// The names of all commands in other programs, with the command that each means.
    var namesElsewhere: [String: String] {
        Dictionary(pairs(\.namesElsewhere, \.namesElsewhere)) { first, _ in first }
    }

    /// Returns each declared name of a kind with the name of its command.
    private func pairs(
        _ ofVerb: (VerbSignature) -> [String], _ ofCommand: (FrontendCommand) -> [String]
    ) -> [(String, String)] {
        verbs.flatMap { verb in ofVerb(verb).map { ($0, verb.name) } }
            + own.flatMap { command in ofCommand(command).map { ($0, command.name) } }
    }

    /// Returns the overview: examples, then all commands and topics with one line each.
    func overview() -> [Manual.Block] {
        let start = tour.isEmpty ? [] : tour.flatMap(\.blocks)
        let commands = screens.filter { !$0.verbs.isEmpty }.flatMap { screen -> [Manual.Block] in
            [
                .heading(screen.summary),
                .terms(commandsOfScreens[screen.name, default: []].map { Manual.Term($0.spelling, $0.verb.help) }),
            ]
        }
        let own = own.map { Manual.Term($0.name, $0.help) }
        return start + commands + [.heading("This program"), .terms(own)] + aliasBlocks + more()
    }

    private func more() -> [Manual.Block] {
        let topics = topics.isEmpty ? [] : [.heading("More"), topicList()]
        return topics
            + [
                .text(
                    "`help COMMAND` describes one, with examples. A command may be shortened to any unambiguous beginning."
                )
            ]
    }

    private func topicList() -> Manual.Block { .terms(topics.map { Manual.Term("help \($0.name)", $0.summary) }) }

    /// Returns the description of a command or a topic.
    func explanation(of name: String) -> [Manual.Block] {
        if let command = own.first(where: { $0.name == name }) { return command.explanation }
        if let verb = verbs.first(where: { $0.name == name }) { return verb.explanation + pointers(from: verb) }
        if let topic = topics.first(where: { $0.name == name }) { return [.heading(topic.title)] + topic.blocks }
        return explanation(ofAlias: name) ?? []
    }

    /// Returns references to the topics that concern a verb or its arguments.
    private func pointers(from verb: VerbSignature) -> [Manual.Block] {
        let related = topics.filter { verb.topics.contains($0.name) || verb.arguments.contains(where: $0.concerns) }
        guard !related.isEmpty else { return [] }
        return [.heading("See also"), .terms(related.map { Manual.Term("help \($0.name)", $0.summary) })]
    }
}

/// Examples under a heading.
public struct ExampleGroup: Sendable {
    /// The heading: `First steps`.
    public let title: String
    /// The examples, in order.
    public let examples: [Example]

    /// Creates a group of examples.
    public init(_ title: String, _ examples: [Example]) {
        self.title = title
        self.examples = examples
    }

    var blocks: [Manual.Block] { [.heading(title), examples.block] }
}

extension [Example] {
    /// The lines with their effects.
    var block: Manual.Block { .terms(map { Manual.Term($0.line, $0.meaning) }) }
}

extension VerbSignature {
    /// The usage, the help, the arguments and the examples.
    var explanation: [Manual.Block] {
        [.lines([usage]), .text(help)] + Manual.Block.names(otherNames)
            + (terms.isEmpty ? [] : [.terms(terms)])
            + (examples.isEmpty ? [] : [.heading("Examples"), examples.block])
    }
}

extension VerbSignature {
    /// The arguments and the formats of the answer.
    var terms: [Manual.Term] {
        arguments.map { Manual.Term($0.usage, $0.explanation) }
            + formats.map { Manual.Term("[--\($0.rawValue)]", $0.help) }
            + lineOptions.map { Manual.Term("[\($0.usage)]", $0.help) }
    }
}

extension FrontendCommand {
    /// The usage, the help and the examples.
    var explanation: [Manual.Block] {
        [.lines([usage]), .text(help)] + Manual.Block.names(otherNames)
            + (examples.isEmpty ? [] : [.heading("Examples"), examples.block])
    }
}

extension Manual.Block {
    /// Returns a sentence about the other names of a command; empty: it has none.
    fileprivate static func names(_ names: [String]) -> [Manual.Block] {
        if names.isEmpty { return [] }
        return [.text((names.count == 1 ? "Other name: " : "Other names: ") + names.joined(separator: ", ") + ".")]
    }
}

extension ArgumentSpec {
    /// The help and a description of the kind.
    var explanation: String { [help, kindHelp].filter { !$0.isEmpty }.joined(separator: " ") }

    private var kindHelp: String {
        switch kind {
        case .text, .flag, .choice: ""
        case .number: "A number."
        case .integer: "A whole number."
        // The help of an argument with completions of its own names what it accepts.
        case .record where completion != .records: ""
        case .record: "A number in the last list, an id or its beginning, or a whole title in quotes."
        case .secret: "Asked for without echo when no file is given; `-` is the standard input."
        case .contents: "Read from the file; `-` is the standard input."
        }
    }
}

/// A topic of `help` and of the manual page in addition to the commands, for example the notation of dates.
public struct HelpTopic: Sendable {
    /// The name for `help`.
    public let name: String
    /// The heading.
    public let title: String
    /// The subject, in a few words.
    public let summary: String
    /// The text.
    public let blocks: [Manual.Block]
    /// Returns whether the help of a command with this argument refers to the topic.
    let concerns: @Sendable (ArgumentSpec) -> Bool

    /// Creates a topic.
    ///
    /// - Parameter concerns: Returns whether it concerns an argument. A verb may also name it (`Verb.topics`).
    public init(
        _ name: String, title: String, summary: String, _ blocks: [Manual.Block],
        concerns: @escaping @Sendable (ArgumentSpec) -> Bool = { _ in false }
    ) {
        self.name = name
        self.title = title
        self.summary = summary
        self.blocks = blocks
        self.concerns = concerns
    }
}

extension HelpBook {
    /// Returns the program's manual page, with the texts of `help`.
    ///
    /// - Parameter process: The options of the process itself.
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
            [.heading(verb.usage), .text(verb.help)] + Manual.Block.names(verb.otherNames)
                + (verb.terms.isEmpty ? [] : [.terms(verb.terms)])
                + verb.examples.blocks(of: program)
        }
        let own = own.flatMap { command -> [Manual.Block] in
            [.heading(command.usage), .text(command.help)] + Manual.Block.names(command.otherNames)
                + command.examples.blocks(of: program)
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
    /// Returns the lines as they are typed in a shell, with their effects.
    fileprivate func blocks(of program: String) -> [Manual.Block] {
        isEmpty ? [] : [.terms(map { Manual.Term("\(program) \($0.line)", $0.meaning) })]
    }
}

extension String {
    fileprivate var withoutStop: String { hasSuffix(".") ? String(dropLast()) : self }
}
