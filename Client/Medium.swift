import ArgumentParser
import ControllerKit
import LineView
import LocalStore
import Terminal

/// A kind of view that a process can begin with. Another one is a file like `Medium+JSON.swift`, and a name in `all`.
struct Medium: Sendable {
    /// What `--view` and the command `view` call it.
    let name: String
    /// Whom it is for, as `--help` says it.
    let purpose: String
    /// Whether the words after the options are a command; else commands come from the input alone.
    let takesCommand: Bool
    /// Whether a process that begins like this is a session, which stays open: by its command, and whether a person sits
    /// at the input.
    let isSession: @Sendable (_ words: [String], _ isInteractive: Bool) -> Bool
    /// Talks until the input ends or somebody quits.
    let converse: @MainActor @Sendable (Conversation) async throws -> CommandStatus
    /// How a line session attaches it beside itself; nil where it can't.
    let besideLine: (@MainActor @Sendable () -> OtherMedium)?
    /// The command that begins with this medium without `--view`; nil: none does.
    var command: OwnCommand?
    /// What a line session runs beside itself for it; nil: nothing.
    var companion: (@MainActor @Sendable (Conversation) throws -> Companion)?

    /// All kinds, the usual one first.
    static let all: [Medium] = [.line, .json, .web]
}

/// What a medium talks over.
struct Conversation {
    /// The screens.
    let catalog: Catalog
    /// Looks up what an argument may be completed to.
    let completions: CompletionSource
    /// The process's input and output.
    let terminal: SystemTerminal
    /// The command that the process was started with; empty: none.
    let words: [String]
    /// The home directory that contains the records.
    let home: Home
    /// What a person is told whatever is shown, as it comes.
    let news: @Sendable () -> AsyncStream<String>
    /// What the sessions of this process have in common.
    let shared: SharedPresentations
    /// The same screens for another terminal of this process: its lists have numbers of their own.
    let screensOfAnother: @MainActor @Sendable (_ terminal: String) throws -> Catalog
}

extension Medium: ExpressibleByArgument {
    init?(argument: String) {
        guard let medium = Self.all.first(where: { $0.name == argument }) else { return nil }
        self = medium
    }

    static var allValueStrings: [String] { all.map(\.name) }
    var defaultValueDescription: String { name }
}
