import Controllers
import Records
import Terminal

/// What a screen shows if it has no rows: what is missing, and the commands that change that. Lines and pages have the
/// same text.
struct EmptyMessage {
    /// What is missing, without a full stop: `No contexts`.
    let title: String
    /// What to do, in sentences, for the template `empty`.
    let pieces: [Piece]

    /// A piece of a sentence.
    struct Piece: Equatable {
        let text: String
        let isCommand: Bool
    }

    /// Creates a message.
    ///
    /// - Parameters:
    ///   - advice: Sentences, with commands in backquotes.
    ///   - context: The context outside of which records aren't shown.
    init(_ title: String, _ advice: String, in context: ActiveContext? = nil) {
        self.title = title
        let all = context == nil ? advice : advice + " `context none` shows records outside the context."
        pieces = all.split(separator: "`", omittingEmptySubsequences: false).enumerated().map { index, text in
            Piece(text: String(text), isCommand: index % 2 == 1)
        }
        .filter { !$0.text.isEmpty }
    }

    /// The message as text, with commands in backquotes.
    var text: String { title + ". " + pieces.map { $0.isCommand ? "`\($0.text)`" : $0.text }.joined() }

    func lines(on page: LinePage) -> [String] { page.lines(text, .faint) }
}

extension EmptyMessage {
    /// Creates the message of a list without records.
    init(_ state: ListScreen.State) {
        let types = state.types.types
        let plurals = types.listedNames(\.plural, conjunction: "or")
        let noun = types.defaultNoun
        // A list of records that can't be completed shows all of them.
        let isOfAll = state.isOfAll || state.filter.isEmpty && types.completableTypes.isEmpty
        if isOfAll {
            self.init("No \(plurals)", "`add TITLE` adds a \(noun).", in: state.context)
        } else if state.filter.isEmpty {
            // Notes aren't listed without a condition, so that there may be some.
            let shown = types.defaultTypes.map(\.plural).joined(conjunction: "or")
            self.init(
                "No open \(shown)", "`add TITLE` adds a \(noun), and `list all` shows everything.",
                in: state.context)
        } else {
            let type = types.listedTypes.first { $0.noun == state.filter }
            let adding = type.map { "`\(Self.adding($0))` adds a \($0.noun), and " } ?? ""
            self.init(Self.noMatches(state.filter), adding + "`list all` shows everything.", in: state.context)
        }
    }

    /// Returns what is missing. The user of `next` hasn't typed the filter of that command.
    private static func noMatches(_ filter: String) -> String {
        let next = ListScreen.nextFilter.joined(separator: " ")
        if filter == next { return "Nothing can be done now" }
        guard filter.hasPrefix(next + " ") else { return "No matches for “\(filter.sanitizedLine)”" }
        return "No matches for “\(String(filter.dropFirst(next.count + 1)).sanitizedLine)” among what can be done now"
    }

    /// Returns the line that adds a record of a type.
    private static func adding(_ type: RecordType) -> String {
        type.noun == NoteRecord.type.noun ? "\(type.noun) TITLE" : "add --type \(type.noun) TITLE"
    }

    /// The message for a home without contexts.
    static let contexts = EmptyMessage(
        "No contexts",
        "A context is a filter that applies to all lists and reports until you choose another one, and its values are "
            + "those of new records. `context define NAME FILTER` defines one.")
}
