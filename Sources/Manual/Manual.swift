/// The release of the package, or the one that is being prepared. The programs show it.
public enum Release {
    /// The version of both programs.
    public static let version = "0.1.0"
    /// The day of the version, in ISO 8601. It is set when the version is released.
    public static let day = "2026-11-21"
}

/// A manual as a value, from which a program's help and its man page are made.
///
/// Text between backticks is code. There is no other markup.
public struct Manual: Sendable, Equatable {
    /// The program's name.
    public var name: String
    /// The section of the system's manual: 1 for commands, 8 for servers.
    public var part: Int
    /// A short description of the program.
    public var summary: String
    /// The program's version.
    public var version: String
    /// The day of the version in ISO 8601.
    public var day: String
    /// The sections after the name, in order.
    public var sections: [Section]

    /// Creates a manual.
    public init(name: String, part: Int, summary: String, version: String, day: String, sections: [Section]) {
        self.name = name
        self.part = part
        self.summary = summary
        self.version = version
        self.day = day
        self.sections = sections
    }

    /// A section of a manual.
    public struct Section: Sendable, Equatable {
        /// The heading; a man page shows it in capital letters.
        public var title: String
        /// The blocks of the section.
        public var blocks: [Block]

        /// Creates a section.
        public init(_ title: String, _ blocks: [Block]) {
            self.title = title
            self.blocks = blocks
        }
    }

    /// A part of a section.
    public enum Block: Sendable, Equatable {
        /// A heading within the section.
        case heading(String)
        /// A paragraph.
        case text(String)
        /// Terms with their meanings.
        case terms([Term])
        /// Lines that are shown unchanged.
        case lines([String])
    }

    /// A term with its meaning.
    public struct Term: Sendable, Equatable {
        /// The term as it is typed, without backticks.
        public var name: String
        /// The meaning; may be empty.
        public var meaning: String

        /// Creates a term.
        public init(_ name: String, _ meaning: String) {
            self.name = name
            self.meaning = meaning
        }
    }
}

extension Manual {
    /// The manual as a man page in roff with the macros of man(7).
    public var roff: String {
        // The arguments of `.TH` are title, section, date and source (man(7)).
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
        // The escape has at least four digits, and no leading zeros beyond them (groff_char(7)).
        return "\\[u\(String(repeating: "0", count: max(4 - digits.count, 0)))\(digits)]"
    }

    /// The characters with a meaning in roff, or for which it prints typographic ones: hyphens, quotes and accents
    /// could then not be pasted into a shell.
    private static let symbols: [Character: String] = [
        "\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "\n": " ",
    ]
}
