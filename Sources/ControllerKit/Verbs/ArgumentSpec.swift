/// The description of an argument without its Swift type, for parsing, help, completion, forms and schemas.
public struct ArgumentSpec: Sendable, Equatable {
    /// The name, unique in its verb: `--name` in a line, the member's name in JSON.
    public let name: String
    /// One line of help; may be empty.
    public let help: String
    /// The kind of its value.
    public let kind: Kind
    /// Its position in a line.
    public internal(set) var placement: Placement
    /// Whether it must be given.
    public internal(set) var isRequired: Bool
    /// The kind of its completions.
    public let completion: CompletionKind
    /// Whether it is a secret that the person chooses now. Where it isn't displayed, it is asked for twice.
    public internal(set) var isNewSecret = false
    /// When the argument is required, if that depends on another one; nil: it doesn't.
    public internal(set) var condition: Condition?
    /// Whether a line may name a folder of text files for it; otherwise a folder is refused.
    public internal(set) var acceptsFolder = false
    /// The values of other arguments, by name, with which a folder is accepted. They may be omitted.
    public internal(set) var folderValues: [String: String] = [:]
    /// The name of the argument that receives the path in a line, if it isn't given itself; nil: none.
    public internal(set) var pathArgument: String?
    /// The argument's name in a form and in a question, in place of `name` as words; nil: it has no other.
    var ownLabel: String?
    /// The name of the verb that lists the values to choose from; nil: none does.
    public internal(set) var listedBy: String?
    /// Whether it names files of this machine, which a web page must neither offer nor accept.
    public internal(set) var isLocal = false
    /// The words after it that continue it as a list, separated by commas; nil: it is one word.
    public internal(set) var continuation: WordTest?
    /// Whether it confirms the command, so that no question is asked. Views that ask before each command set it
    /// themselves and don't offer it.
    public internal(set) var isConfirmation = false

    /// The arguments that contain the text which an editor would open; nil: the argument doesn't request an editor. A
    /// view with an editor sets such a flag itself if none of them is given. Views without one don't offer it.
    public internal(set) var editorUnless: Set<String>?
    /// If none of these arguments is given, a line reads the value from standard input unless that is a terminal; nil:
    /// never.
    public internal(set) var inputUnless: Set<String>?

    /// The argument's name in a form and in a question: `new-password` becomes `new password`.
    public var label: String { ownLabel ?? Outline.label(of: name) }

    /// Returns whether a line with these values may name a folder for the argument.
    public func acceptsFolder(_ values: ArgumentValues) -> Bool {
        acceptsFolder && folderValues.allSatisfy { name, value in values[name].map { $0 == .text(value) } ?? true }
    }

    /// The value of another argument of the same verb on which it depends whether an argument is required.
    public struct Condition: Sendable, Equatable {
        /// The name of the other argument: a flag or a choice.
        public let argument: String
        /// The value: a flag that is set, or a word of the choice.
        public let value: ArgumentValue
        /// Whether the argument is required with the value; otherwise it is required without it.
        public let isSet: Bool

        /// Returns whether values fulfil the condition.
        public func holds(for values: ArgumentValues) -> Bool { (values[argument] == value) == isSet }
    }

    /// Returns the argument as it is for these values of the others: required or not.
    public func settled(by values: ArgumentValues) -> ArgumentSpec {
        guard let condition else { return self }
        var settled = self
        settled.isRequired = condition.holds(for: values)
        return settled
    }

    /// The kind of an argument's value. New cases may be added.
    public enum Kind: Sendable, Equatable {
        /// Any text; in a line, a word or a text in quotes.
        case text
        /// A finite number.
        case number
        /// An integer.
        case integer
        /// An option without a value.
        case flag
        /// A reference to a record: its number in the last list, its id or a unique prefix. The controller looks it up.
        case record
        /// One of these words.
        case choice([String])
        /// A text asked for without echo or read from a file. Never a word of a line, never in a state, history or log.
        case secret
        /// The text of a file that a line names (`-`: standard input).
        case contents
    }

    /// The position of an argument in a line. New cases may be added.
    public enum Placement: Sendable, Equatable {
        /// Identified by its position.
        case position
        /// All remaining words, as a list.
        case rest
        /// Follows its name: `--title VALUE`. Flags, secrets and contents have their own forms.
        case option
    }

    /// Whether its words have a syntax (`+tag`, `name:value`) up to a word `--`. All words after `--` are plain text.
    public var hasSigns: Bool { placement == .rest && completion.hasSigns }

    /// The option's name in a line, without dashes. Contents and secrets are read from a file and end in `-file`.
    public var optionName: String {
        switch kind {
        case .secret, .contents: name + "-file"
        case .text, .number, .integer, .flag, .record, .choice: name
        }
    }

    /// Returns the word if it is one of `words`.
    ///
    /// - Throws: `Failure` of category `usage` if it isn't.
    func choice(_ word: String, of words: [String]) throws(Failure) -> String {
        if words.contains(word) { return word }
        let choice = words.dropLast().joined(separator: ", ") + (words.count > 1 ? " or " : "") + (words.last ?? "")
        // The message omits the argument's name, which isn't typed for a positional argument.
        throw Failure(.usage, "“\(word)” must be \(choice).")
    }

    func refusal(of given: String, _ wanted: String, named other: String? = nil) -> Failure {
        Failure(.usage, "\(other ?? name) must be \(wanted), not “\(given)”.")
    }
}

/// A test of words, for the grammar of a line.
public struct WordTest: Sendable, Equatable {
    /// The name of the test, by which tests are compared.
    public let name: String
    private let test: @Sendable (String) -> Bool

    /// Creates a test.
    public init(_ name: String, _ test: @escaping @Sendable (String) -> Bool) { (self.name, self.test) = (name, test) }

    /// Returns whether a word passes the test.
    public func accepts(_ word: String) -> Bool { test(word) }

    public static func == (left: Self, right: Self) -> Bool { left.name == right.name }
}

/// A completion of an argument.
public struct Completion: Sendable, Equatable {
    /// The word as it is inserted.
    public let text: String
    /// A description for the choice between completions; may be empty.
    public let note: String
    /// A name of the same object, of which the typed word is a part. A line editor inserts it in place of `text`, so that
    /// the line stays readable; nil: there is none, or it names several objects.
    public let title: String?

    /// Creates a completion.
    public init(_ text: String, note: String = "", title: String? = nil) {
        (self.text, self.note, self.title) = (text, note, title)
    }
}

/// Returns the completions of a kind for the typed beginning of a word.
public typealias CompletionSource = @Sendable (_ kind: CompletionKind, _ beginning: String) async -> [Completion]

/// A kind of completions. The module that declares the verbs adds kinds and provides their `CompletionSource`:
///
///     extension CompletionKind { static let shelves = CompletionKind("shelves") }
public struct CompletionKind: Sendable, Hashable {
    /// The kind's name, unique in a program.
    public let name: String
    /// The words to choose from, if they are fixed.
    public let words: [String]
    /// Whether its words have a syntax (`+tag`, `name:value`) up to a word `--`, after which all words are plain text.
    public let hasSigns: Bool
    /// Whether its words name records, among others by their numbers in the last list.
    public let namesRecords: Bool

    /// Creates a kind of the program's `CompletionSource`.
    public init(_ name: String, hasSigns: Bool = false, namesRecords: Bool = false) {
        self.init(name, words: [], hasSigns: hasSigns, namesRecords: namesRecords)
    }

    private init(_ name: String, words: [String], hasSigns: Bool, namesRecords: Bool) {
        (self.name, self.words, self.hasSigns, self.namesRecords) = (name, words, hasSigns, namesRecords)
    }

    /// No completions.
    public static let nothing = CompletionKind("")
    /// The files of the folder. A web page neither offers nor accepts a text argument that names a file of the machine.
    public static let files = CompletionKind("files")
    /// The records of the last list, or those whose ids or titles match.
    public static let records = CompletionKind("records", namesRecords: true)

    /// Returns a kind with fixed words.
    public static func values(_ words: [String]) -> CompletionKind {
        CompletionKind("values", words: words, hasSigns: false, namesRecords: false)
    }
}
