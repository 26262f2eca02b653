extension Manual {
    /// The manual as a man page: roff with the macros of man(7).
    public var roff: String {
        let heading = [name.uppercased(), "\(part)", nil, "\(name) \(version)"].map { text in
            // Readers take a date as it is, without escapes.
            text.map(Roff.quoted) ?? day
        }.joined(separator: " ")
        let name = [".SH NAME", Roff.line(self.name + " - " + summary)]
        // Broken words and stretched lines can't be pasted, nor searched.
        return ([".TH \(heading)", ".nh", ".ad l"] + name + sections.flatMap(\.roff)).joined(separator: "\n") + "\n"
    }
}

extension Manual.Section {
    fileprivate var roff: [String] {
        var lines = [".SH \(Roff.quoted(title.uppercased()))"]
        // The first paragraph of a section begins without a macro, which would add an empty line.
        var needsBreak = false
        for block in blocks {
            lines += block.roff(needsBreak: needsBreak)
            if case .heading = block { needsBreak = false } else { needsBreak = true }
        }
        return lines
    }
}

extension Manual.Block {
    fileprivate func roff(needsBreak: Bool) -> [String] {
        switch self {
        case .heading(let text): [".SS \(Roff.quoted(text))"]
        case .text(let text): (needsBreak ? [".PP"] : []) + [Roff.line(text)]
        case .terms(let terms): terms.flatMap(\.roff)
        case .lines(let lines):
            (needsBreak ? [".PP"] : []) + [".RS 4", ".nf"] + lines.map(Roff.verbatim) + [".fi", ".RE"]
        }
    }
}

extension Manual.Term {
    fileprivate var roff: [String] {
        [".TP", Roff.bold(name)] + [meaning.isEmpty ? "\\&" : Roff.line(meaning)]
    }
}

/// How texts are written so that roff shows them as they are (groff(7), “Escape sequences”; man(7)).
enum Roff {
    /// A line of text: text between backticks is bold.
    static func line(_ text: String) -> String {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        // Without its partner a backtick is a letter.
        guard parts.count % 2 == 1 else { return guarded(escaped(text)) }
        return guarded(
            parts.enumerated().map { index, part in
                index % 2 == 1 ? "\\fB\(escaped(part))\\fP" : escaped(part)
            }.joined())
    }

    /// A line that stays as it is.
    static func verbatim(_ text: String) -> String { guarded(escaped(text)) }

    /// A text that is bold as a whole.
    static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fP" }

    /// An argument of a macro.
    static func quoted(_ text: String) -> String { "\"" + escaped(text).replacing("\"", with: "\\(dq") + "\"" }

    /// What begins like a request doesn't.
    private static func guarded(_ line: String) -> String {
        line.first == "." || line.first == "'" ? "\\&" + line : line
    }

    private static func escaped(_ text: some StringProtocol) -> String {
        text.reduce(into: "") { escaped, character in
            escaped += symbols[character] ?? character.unicodeScalars.map(plain).joined()
        }
    }

    /// Pages in ASCII are read alike by every roff.
    private static func plain(_ scalar: Unicode.Scalar) -> String {
        guard !scalar.isASCII else { return String(scalar) }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "\\[u\(String(repeating: "0", count: max(4 - digits.count, 0)))\(digits)]"
    }

    /// The characters that have a meaning, or that roff prints as others: a hyphen, quotes and accents would become
    /// typographic ones, which can't be pasted into a shell.
    private static let symbols: [Character: String] = [
        "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "\n": " ",
    ]
}
