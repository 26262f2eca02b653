/// The release of the package, which its programs show.
public enum Release {
    /// The version of both programs.
    public static let version = "0.1.0"
    /// The day of the version: ISO 8601.
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
