extension VerbSignature {
    /// How it is said in a line: `edit <record> [--title <title>] [<words>…]`.
    public var usage: String { ([name] + arguments.map(\.usage)).joined(separator: " ") }
}

extension ArgumentSpec {
    /// How the argument is written in a line, in brackets when it may be left out.
    public var usage: String { isRequired && kind != .secret ? form : "[\(form)]" }

    private var form: String {
        switch (placement, kind) {
        case (_, .flag): "--\(optionName)"
        case (.position, .choice(let words)): words.joined(separator: "|")
        case (.position, _): "<\(name)>"
        case (.rest, _): "<\(name)>…"
        case (.option, .secret), (.option, .contents): "--\(optionName) FILE|-"
        case (.option, .choice(let words)): "--\(optionName) \(words.joined(separator: "|"))"
        case (.option, _): "--\(optionName) <\(name)>"
        }
    }
}
