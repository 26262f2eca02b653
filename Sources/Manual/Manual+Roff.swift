extension Manual {
    /// The manual as a man page in roff with the macros of man(7).
    public var roff: String {
        let heading = [name.uppercased(), "\(part)", nil, "\(name) \(version)"].map { text in
            // Readers use the date unchanged, without interpreting escapes.
            text.map(Roff.quoted) ?? day
        }.joined(separator: " ")
        let name = [".SH NAME", Roff.line(self.name + " - " + summary)]
        // No hyphenation and no justification: hyphenated words and stretched lines can't be searched or pasted.
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

/// Writes texts so that roff shows them unchanged (groff(7), “Escape sequences”; man(7)).
enum Roff {
    /// Returns a line of text, in which text between backticks is bold.
    static func line(_ text: String) -> String {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        // An unpaired backtick is an ordinary character.
        guard parts.count % 2 == 1 else { return guarded(escaped(text)) }
        return guarded(
            parts.enumerated().map { index, part in
                index % 2 == 1 ? "\\fB\(escaped(part))\\fP" : escaped(part)
            }.joined())
    }

    /// Returns a line without markup.
    static func verbatim(_ text: String) -> String { guarded(escaped(text)) }

    /// Returns a text in bold.
    static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fP" }

    /// Returns a text as an argument of a macro.
    static func quoted(_ text: String) -> String { "\"" + escaped(text).replacing("\"", with: "\\(dq") + "\"" }

    /// Returns a line that isn't a request: those begin with `.` or `'`.
    private static func guarded(_ line: String) -> String {
        line.first == "." || line.first == "'" ? "\\&" + line : line
    }

    private static func escaped(_ text: some StringProtocol) -> String {
        text.reduce(into: "") { escaped, character in
            escaped += symbols[character] ?? character.unicodeScalars.map(plain).joined()
        }
    }

    /// Returns a scalar in ASCII, which every roff reads in the same way.
    private static func plain(_ scalar: Unicode.Scalar) -> String {
        guard !scalar.isASCII else { return String(scalar) }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "\\[u\(String(repeating: "0", count: max(4 - digits.count, 0)))\(digits)]"
    }

    /// The characters with a meaning in roff, or for which it prints typographic ones: hyphens, quotes and accents
    /// could then not be pasted into a shell.
    private static let symbols: [Character: String] = [
        "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "\n": " ",
    ]
}
