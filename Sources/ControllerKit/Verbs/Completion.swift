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
