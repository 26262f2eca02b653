import ControllerKit
import Manual
import Terminal

extension [Manual.Block] {
    /// Returns the blocks as lines that fit the page. Long text is wrapped, never truncated.
    func lines(on page: LinePage) -> [String] {
        enumerated().flatMap { index, block in
            (index > 0 && block.isApart(from: self[index - 1]) ? [""] : []) + block.lines(on: page)
        }
    }
}

extension Manual.Block {
    /// Returns whether an empty line separates the block from the one above.
    fileprivate func isApart(from above: Manual.Block) -> Bool {
        switch (self, above) {
        case (.heading, _), (.text, .terms), (.text, .text): true
        case (.text, _), (.terms, _), (.lines, _): false
        }
    }

    fileprivate func lines(on page: LinePage) -> [String] {
        switch self {
        case .heading(let text): text.sanitizedLine.wrapped(to: page.columns).map { page.text($0, .strong) }
        case .text(let text): text.sanitizedLine.wrapped(to: page.columns)
        case .lines(let lines): lines.flatMap { $0.sanitizedLine.wrapped(to: page.columns, hanging: 4) }
        case .terms(let terms): HelpColumns(terms, columns: page.columns).lines
        }
    }
}

/// Terms with their meanings in a second column, or below them if the page is too narrow.
private struct HelpColumns {
    let terms: [Manual.Term]
    let columns: Int?
    private let indent = 2
    private let gap = 2
    /// The smallest readable width of the second column.
    private let comfortable = 24

    init(_ terms: [Manual.Term], columns: Int?) {
        self.terms = terms
        self.columns = columns
    }

    /// The column at which meanings begin; nil: they are below their terms.
    private var meanings: Int? {
        let widths = terms.map(\.name.displayWidth)
        guard let columns else { return widths.max().map { indent + $0 + gap } }
        // Terms wider than half of the page have their meanings below them, so that the second column isn't too narrow.
        let room = columns / 2 - indent - gap
        guard let width = widths.filter({ $0 <= room }).max() else { return nil }
        let start = indent + width + gap
        return columns - start >= comfortable ? start : nil
    }

    var lines: [String] {
        let start = meanings
        return terms.flatMap { lines(of: $0, meaningsAt: start) }
    }

    private func lines(of term: Manual.Term, meaningsAt start: Int?) -> [String] {
        let margin = String(repeating: " ", count: indent)
        let name = margin + term.name.sanitizedLine
        guard !term.meaning.isEmpty else { return name.wrapped(to: columns, hanging: indent + 4) }
        let fitsInLine = start.map { name.displayWidth + gap <= $0 } ?? false
        let begin = start ?? indent + 4
        let padding = String(repeating: " ", count: begin)
        let meaning = term.meaning.sanitizedLine.wrapped(to: columns.map { max($0 - begin, 1) }).map { padding + $0 }
        guard fitsInLine, let first = meaning.first else {
            return name.wrapped(to: columns, hanging: indent + 4) + meaning
        }
        return [name + first.dropFirst(name.displayWidth)] + meaning.dropFirst()
    }
}

/// A command of the line view itself.
enum PromptCommand: String, CaseIterable {
    case help, view, completions, quit

    /// Returns all commands with their descriptions for help and completion.
    ///
    /// - Parameter names: The names of a command and of a topic, for examples.
    static func all(of program: Program, explaining names: [String] = []) -> [FrontendCommand] {
        allCases.map {
            FrontendCommand(
                $0.rawValue, usage: $0.usage, help: $0.help, otherNames: $0.otherNames,
                namesElsewhere: $0.namesElsewhere, examples: $0.examples(program, names), words: $0.words)
        }
    }

    private var words: FrontendCommand.Words {
        switch self {
        case .help: .explained
        case .view: .attachable
        case .completions: .fixed(Shell.allCases.map(\.rawValue))
        case .quit: .fixed([])
        }
    }

    var otherNames: [String] {
        switch self {
        case .view, .completions: []
        case .help: ["?"]
        case .quit: ["exit"]
        }
    }

    private var namesElsewhere: [String] {
        switch self {
        case .view, .completions: []
        case .help: ["commands", "man"]
        case .quit: ["bye", "logoff"]
        }
    }

    private var help: String {
        switch self {
        case .help: "Show examples and all commands, or describe one command or topic."
        case .view: "Show the attached views; attach or detach one."
        case .completions: "Print a script that makes a shell complete commands with Tab."
        case .quit: "Leave."
        }
    }

    var usage: String {
        switch self {
        case .help: "help [<command>|<topic>]"
        case .view: "view [<name> [<file>|off]]"
        case .completions: "completions " + Shell.allCases.map(\.rawValue).joined(separator: "|")
        case .quit: "quit"
        }
    }

    private func examples(_ program: Program, _ names: [String]) -> [Example] {
        switch self {
        case .help: zip(names, ["Describe one command.", "Describe a topic."]).map { Example("help \($0)", $1) }
        case .view:
            [
                Example("view json log.jsonl", "Write what is shown to a file, as JSON lines."),
                Example("view json off", "Stop writing it."),
            ]
        case .completions:
            Shell.allCases.map { Example("completions \($0.rawValue)", $0.installation(of: program.command)) }
        case .quit: [Example("quit", "Leave the prompt, like Ctrl-D.")]
        }
    }
}
