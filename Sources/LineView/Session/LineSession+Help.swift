import ControllerKit

extension LineSession {
    /// All commands under their screens; or what there is to know about one, which is shown uncut.
    func help(_ words: [String]) throws -> [String] {
        guard let said = words.first else { return overview() }
        let name = try commands.name(meantBy: said)
        if let builtin = Builtin(rawValue: name) { return [builtin.usage, builtin.help] }
        if let companion = companions.first(where: { $0.name == name }) { return [companion.usage, companion.help] }
        guard let verb = coordinator.catalog.verb(named: name) else { return [] }
        return explanation(of: verb)
    }

    private func overview() -> [String] {
        var rows: [Table.Row] = []
        for screen in coordinator.catalog.screens where !screen.verbs.isEmpty {
            rows.append(.heading(screen.summary))
            rows += screen.verbs.map { row("  " + $0.name, $0.help) }
        }
        rows.append(.heading("This session"))
        rows += companions.map { row("  " + $0.name, $0.help) }
        rows += Builtin.allCases.map { row("  " + $0.rawValue, $0.help) }
        return Table([.init(""), .init("", canShrink: true)], rows).lines(on: terminal.page)
    }

    private func explanation(of verb: VerbSignature) -> [String] {
        let rows = verb.arguments.map { row("  " + $0.usage, $0.explanation) }
        return [verb.usage, verb.help] + Table([.init(""), .init("", canShrink: true)], rows).lines(on: terminal.page)
    }

    private func row(_ usage: String, _ help: String) -> Table.Row { .cells([.init(usage), .init(help)]) }
}

extension ArgumentSpec {
    fileprivate var explanation: String {
        let kind =
            switch kind {
            case .text: ""
            case .number: "A number."
            case .integer: "A whole number."
            case .flag: ""
            case .record: "A number of the last list, an id, or its unique beginning."
            case .choice: ""
            case .secret: "Asked for without echo when no file is given; “-” is the standard input."
            case .contents: "Read from the file; “-” is the standard input."
            }
        return [help, kind].filter { !$0.isEmpty }.joined(separator: " ")
    }
}
