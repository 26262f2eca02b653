/// What is known about an argument besides its Swift type: enough to parse, to explain, to complete and to describe it.
public struct ArgumentSpec: Sendable, Equatable {
    /// The name, unique in its verb; in a line's option `--name`, in JSON the member's name.
    public let name: String
    /// One line of help; may be empty.
    public let help: String
    /// The kind of its value.
    public let kind: Kind
    /// Its position in a line.
    public internal(set) var placement: Placement
    /// Whether the verb can't do without it.
    public internal(set) var isRequired: Bool
    /// What may be offered while it is typed.
    public let completion: CompletionKind
    /// Whether it is a secret that the person makes up now: where it isn't seen, it is asked for twice.
    public internal(set) var isNewSecret = false
    /// Whether a line may name a folder of text files for it; otherwise a folder is refused.
    public internal(set) var acceptsFolder = false
    /// The values of other arguments, by name, with which a folder may be named; they may also be left out.
    public internal(set) var folderValues: [String: String] = [:]
    /// How a form names the argument; nil: by its name.
    public internal(set) var label: String?
    /// Whether it concerns files of this machine, which a page must neither offer nor accept.
    public internal(set) var isLocal = false

    /// Whether a line with these values may name a folder for it.
    public func acceptsFolder(_ values: ArgumentValues) -> Bool {
        acceptsFolder && folderValues.allSatisfy { name, value in values[name].map { $0 == .text(value) } ?? true }
    }

    /// The kind of an argument's value. New cases may be added.
    public enum Kind: Sendable, Equatable {
        /// Any text; in a line a word, or a text in quotes.
        case text
        /// A finite number.
        case number
        /// A whole number.
        case integer
        /// Something that is said or not.
        case flag
        /// A reference to a record: its number in the last list, its id, or a unique prefix; resolved by the controller.
        case record
        /// One of these words.
        case choice([String])
        /// Asked for without echo, or read from a file. Never a word of the line, never in a state, a history or a log.
        case secret
        /// A text that the line view reads from the file that is named (`-` is the standard input).
        case contents
    }

    /// The position of an argument in a line.
    public enum Placement: Sendable, Equatable {
        /// By its position.
        case position
        /// All words that remain, as a list.
        case rest
        /// After its name: `--title VALUE`; a flag, a secret and contents have their own forms.
        case option
    }

    /// Whether its words have a syntax (`+tag`, `name:value`), up to a word `--`; all words after `--` are plain text.
    public var hasSigns: Bool { placement == .rest && completion.hasSigns }

    /// The option's name in a line, without dashes: contents and secrets come from a file, and say so.
    public var optionName: String {
        switch kind {
        case .secret, .contents: name + "-file"
        case .text, .number, .integer, .flag, .record, .choice: name
        }
    }

    /// The word, if it is one of those to choose from.
    func choice(_ word: String, of words: [String]) throws(Failure) -> String {
        if words.contains(word) { return word }
        let choice = words.dropLast().joined(separator: ", ") + (words.count > 1 ? " or " : "") + (words.last ?? "")
        // The message omits the argument's name, which isn't typed for a positional argument.
        throw Failure(.usage, "“\(word)” must be \(choice).")
    }

    func refusal(of given: String, _ wanted: String) -> Failure {
        Failure(.usage, "\(name) must be \(wanted), not “\(given)”.")
    }
}

/// A word that an argument may be completed to.
public struct Completion: Sendable, Equatable {
    /// The word as it is inserted.
    public let text: String
    /// What it is, to choose by; may be empty.
    public let note: String

    /// A completion.
    public init(_ text: String, note: String = "") { (self.text, self.note) = (text, note) }
}

/// Looks up what an argument may be completed to: the kind, and what was typed of the word so far.
public typealias CompletionSource = @Sendable (_ kind: CompletionKind, _ beginning: String) async -> [Completion]

/// What may be offered while an argument is typed. The module that declares the verbs adds kinds of its own, and its
/// `CompletionSource` answers them:
///
///     extension CompletionKind { static let shelves = CompletionKind("shelves") }
public struct CompletionKind: Sendable, Hashable {
    /// The kind's name, unique in a program.
    public let name: String
    /// The words to choose from, where they are fixed.
    public let words: [String]
    /// Whether its words have a syntax (`+tag`, `name:value`) up to a word `--`, after which all words are plain text.
    public let hasSigns: Bool
    /// Whether its words name records, as numbers of the last list among others.
    public let namesRecords: Bool

    /// A kind that the program's `CompletionSource` knows.
    public init(_ name: String, hasSigns: Bool = false, namesRecords: Bool = false) {
        self.init(name, words: [], hasSigns: hasSigns, namesRecords: namesRecords)
    }

    private init(_ name: String, words: [String], hasSigns: Bool, namesRecords: Bool) {
        (self.name, self.words, self.hasSigns, self.namesRecords) = (name, words, hasSigns, namesRecords)
    }

    /// Nothing is offered.
    public static let nothing = CompletionKind("")
    /// The files of the folder. A page neither offers nor accepts a text argument that names a file of the machine.
    public static let files = CompletionKind("files")
    /// The records of the last list, or those whose ids or titles match.
    public static let records = CompletionKind("records", namesRecords: true)

    /// These words.
    public static func values(_ words: [String]) -> CompletionKind {
        CompletionKind("values", words: words, hasSigns: false, namesRecords: false)
    }
}
