/// A user interface of a program: lines, JSON lines, a web page. It serves the screens of any catalogue.
///
/// One front end runs the process (`run`). Others can be used from its prompt, with commands of their own (`perform`)
/// or by attaching their views to its screens (`views`). To add one, write one type and add it to the program's list.
@MainActor
public protocol Frontend: AnyObject, Sendable {
    /// The name for `--view` and the command `view`.
    nonisolated static var name: String { get }
    /// The purpose, for `--help`.
    nonisolated static var purpose: String { get }
    /// Whether the arguments of a process that begins with it may contain a command; otherwise the input has them.
    nonisolated static var ownsCommand: Bool { get }
    /// Returns its own commands. A process that is started with one of them begins with this front end.
    nonisolated static func commands(of program: Program) -> [FrontendCommand]
    /// Whether its views can be attached to the screens of another front end.
    nonisolated static var canBeAttached: Bool { get }
    /// Whether an assistant uses it instead of a person. It changes nothing unless the process is allowed to, and
    /// messages for persons are kept for another front end.
    nonisolated static var isForAssistants: Bool { get }
    /// Returns whether a process that begins with these words stays open, so that it may sync automatically.
    nonisolated static func isSession(_ words: [String], isInteractive: Bool) -> Bool

    /// Runs the process until the input ends, the person quits or the command is done.
    ///
    /// - Parameter words: The command that the process was started with; empty: none.
    /// - Throws: `Failure`, or the medium's error if its other end is closed.
    func run(_ words: [String]) async throws -> CommandStatus
    /// Performs one of its own commands at the prompt of another front end.
    ///
    /// - Returns: The lines that the prompt shows.
    func perform(_ command: String, _ words: [String]) async throws -> [String]
    /// Creates views that write lines with `write`, without line ends; nil: it has none.
    func views(writing write: @escaping @MainActor (String) async throws -> Void) -> (any ViewFactory)?
    /// Ends the work of its commands. Returns when it has ended.
    func stop() async
}

extension Frontend {
    public nonisolated static var ownsCommand: Bool { false }
    public nonisolated static func commands(of program: Program) -> [FrontendCommand] { [] }
    public nonisolated static var canBeAttached: Bool { false }
    public nonisolated static var isForAssistants: Bool { false }
    public nonisolated static func isSession(_ words: [String], isInteractive: Bool) -> Bool { true }

    /// Throws: by default, a front end can't run a process.
    public func run(_ words: [String]) async throws -> CommandStatus {
        throw Failure(.usage, "“\(Self.name)” can only be attached to another view.")
    }

    /// Throws: by default, a front end has no commands.
    public func perform(_ command: String, _ words: [String]) async throws -> [String] {
        throw Failure(.usage, "“\(Self.name)” has no command “\(command)”.")
    }

    /// Returns nil: by default, a front end has no views for others.
    public func views(writing write: @escaping @MainActor (String) async throws -> Void) -> (any ViewFactory)? { nil }

    /// Does nothing. The default implementation.
    public func stop() async {}
}

/// A command of a front end, which isn't a verb of a screen: its description for help and completion.
public struct FrontendCommand: Sendable {
    /// The name.
    public let name: String
    /// The usage line: `web [--port N]`.
    public let usage: String
    /// One line of help, for the list of commands.
    public let help: String
    /// Other names by which a line may call the command, in lower case.
    public let otherNames: [String]
    /// The names of the same command in other programs, in lower case, for suggestions.
    public let namesElsewhere: [String]
    /// Examples, the most common first.
    public let examples: [Example]
    /// The words that may follow it.
    public let words: Words

    /// The words that may follow a command, for completion. New cases may be added.
    public enum Words: Sendable, Equatable {
        /// These words, each once.
        case fixed([String])
        /// The name of a command or of a help topic.
        case explained
        /// The name of a front end that can be attached.
        case attachable
    }

    /// Creates a command.
    public init(
        _ name: String, usage: String, help: String, otherNames: [String] = [], namesElsewhere: [String] = [],
        examples: [Example] = [], words: Words = .fixed([])
    ) {
        (self.name, self.usage, self.help) = (name, usage, help)
        (self.otherNames, self.namesElsewhere) = (otherNames, namesElsewhere)
        (self.examples, self.words) = (examples, words)
    }
}

/// The names and the version of a program for messages, scripts, manual pages and file names.
public struct Program: Sendable, Equatable {
    /// The name in texts: `Shelf`.
    public let name: String
    /// The name of the executable: `shelf`.
    public let command: String
    /// The version, as `--version` prints it.
    public let version: String
    /// The day of the version, ISO 8601.
    public let day: String
    /// Related manual pages: `editrc(5)`.
    public let related: [String]
    /// The beginning of the names of environment variables: `SHELF` for `SHELF_HOME`.
    public let variablePrefix: String
    /// Hints for commands of other programs that have no equivalent here, by the command in lower case. A key that ends
    /// with a dot matches all words that begin with it.
    public let foreignCommandHints: [String: String]

    /// Creates a program's description.
    ///
    /// - Parameters:
    ///   - variablePrefix: By default, the command in upper case, with `_` for `-`.
    ///   - foreignCommandHints: Sentences that name the command to type, see ``foreignCommandHints``.
    public init(
        name: String, command: String, version: String, day: String = "", related: [String] = [],
        variablePrefix: String? = nil, foreignCommandHints: [String: String] = [:]
    ) {
        (self.name, self.command, self.version, self.day) = (name, command, version, day)
        (self.related, self.foreignCommandHints) = (related, foreignCommandHints)
        self.variablePrefix = variablePrefix ?? command.uppercased().replacing("-", with: "_")
    }

    /// Returns the name of an environment variable: `SHELF_HOME` for `HOME`.
    public func variable(_ name: String) -> String { "\(variablePrefix)_\(name)" }

    /// The file name of the cache: `shelf.db`.
    public var cacheFile: String { command + ".db" }
}
