/// A manual as a value: what a program's help shows on a terminal, and what its man page is made of.
///
/// Text between backticks is typed or named exactly so. Nothing else in a text has a meaning.
public struct Manual: Sendable, Equatable {
    /// The program's name.
    public var name: String
    /// The part of the system's manual that it belongs to: 1 for commands, 8 for servers.
    public var part: Int
    /// What the program is, in a few words.
    public var summary: String
    /// The program's version.
    public var version: String
    /// The day that the version is of: ISO 8601.
    public var day: String
    /// The sections after the name, in order.
    public var sections: [Section]

    /// A manual.
    public init(name: String, part: Int, summary: String, version: String, day: String, sections: [Section]) {
        self.name = name
        self.part = part
        self.summary = summary
        self.version = version
        self.day = day
        self.sections = sections
    }

    /// The content of one heading.
    public struct Section: Sendable, Equatable {
        /// The heading; a man page has it in capital letters.
        public var title: String
        /// The blocks of the section.
        public var blocks: [Block]

        /// A section.
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
        /// Terms with what they mean.
        case terms([Term])
        /// Lines that stay as they are.
        case lines([String])
    }

    /// A term, and what it means.
    public struct Term: Sendable, Equatable {
        /// What is explained, as it is typed; never marked by backticks.
        public var name: String
        /// What it means; may be empty.
        public var meaning: String

        /// A term.
        public init(_ name: String, _ meaning: String) {
            self.name = name
            self.meaning = meaning
        }
    }
}
