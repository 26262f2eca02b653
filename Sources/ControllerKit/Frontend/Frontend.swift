/// A way to use a program: lines, JSON lines, a page. It serves the screens of a catalogue, and knows none of them.
///
/// One front end runs the process (`run`). Others may be used from its prompt: by commands of their own (`perform`), or by
/// attaching their views to its screens (`views`). A further one is one type, and one line where the program lists them.
@MainActor
public protocol Frontend: AnyObject, Sendable {
    /// What `--view` and the command `view` call it.
    nonisolated static var name: String { get }
    /// Whom it is for, as `--help` says it.
    nonisolated static var purpose: String { get }
    /// Whether a process that begins with it may have a command in its arguments; otherwise commands come from the input.
    nonisolated static var ownsCommand: Bool { get }
    /// The commands that it has besides the verbs of the screens. The first one begins with this front end where a
    /// process is started with it.
    nonisolated static func commands(of program: Program) -> [FrontendCommand]
    /// Whether its views can be attached to the screens of another front end.
    nonisolated static var canBeAttached: Bool { get }
    /// Whether an assistant uses it in place of a person: it changes nothing unless the process was allowed to, and what only a
    /// person must see is kept for another front end.
    nonisolated static var isForAssistants: Bool { get }
    /// Whether a process that begins like this stays open, so that it may sync automatically.
    nonisolated static func isSession(_ words: [String], isInteractive: Bool) -> Bool

    /// Runs the process: until the input ends, the person quits, or the command is done.
    ///
    /// - Parameter words: The command that the process was started with; empty: none.
    /// - Throws: `Failure`, or what the medium throws when the person or program at its other end is gone.
    func run(_ words: [String]) async throws -> CommandStatus
    /// Carries out a command of its own at the prompt of another front end.
    ///
    /// - Returns: The lines that the prompt shows.
    func perform(_ command: String, _ words: [String]) async throws -> [String]
    /// Makes views that write lines, without their ends, with `write`; nil: it has none.
    func views(writing write: @escaping @MainActor (String) async throws -> Void) -> (any ViewFactory)?
    /// Ends what its commands have started; returns when it has ended.
    func stop() async
}

extension Frontend {
    public nonisolated static var ownsCommand: Bool { false }
    public nonisolated static func commands(of program: Program) -> [FrontendCommand] { [] }
    public nonisolated static var canBeAttached: Bool { false }
    public nonisolated static var isForAssistants: Bool { false }
    public nonisolated static func isSession(_ words: [String], isInteractive: Bool) -> Bool { true }

    /// Refuses to run a process, unless a front end can.
    public func run(_ words: [String]) async throws -> CommandStatus {
        throw Failure(.usage, "“\(Self.name)” can only be attached to another view.")
    }

    /// Has no commands, unless a front end declares some.
    public func perform(_ command: String, _ words: [String]) async throws -> [String] {
        throw Failure(.usage, "“\(Self.name)” has no command “\(command)”.")
    }

    /// Has no views for others, unless a front end has some.
    public func views(writing write: @escaping @MainActor (String) async throws -> Void) -> (any ViewFactory)? { nil }

    /// Nothing to end, unless a front end started something.
    public func stop() async {}
}

/// A command that no screen has: one of a front end. This is what `help` says about it, and what completes it.
public struct FrontendCommand: Sendable {
    /// What is typed.
    public let name: String
    /// How it is written: `web [--port N]`.
    public let usage: String
    /// One line, for the list of commands.
    public let help: String
    /// Examples, the most usual first.
    public let examples: [Example]
    /// What may follow it.
    public let words: Words

    /// What may follow a command, for completion.
    public enum Words: Sendable, Equatable {
        /// These words, each once.
        case fixed([String])
        /// The name of a command or of a help topic.
        case explained
        /// The name of a front end that can be attached.
        case attachable
    }

    /// A command.
    public init(_ name: String, usage: String, help: String, examples: [Example] = [], words: Words = .fixed([])) {
        (self.name, self.usage, self.help) = (name, usage, help)
        (self.examples, self.words) = (examples, words)
    }
}

/// What a program calls itself, wherever a person reads or types it: in messages, scripts, manual pages and file names.
public struct Program: Sendable, Equatable {
    /// What people call it: `Shelf`.
    public let name: String
    /// How it is started: `shelf`.
    public let command: String
    /// The version, as `--version` prints it.
    public let version: String
    /// The day of the version, ISO 8601.
    public let day: String
    /// The manual pages to read next: `editrc(5)`.
    public let related: [String]

    /// A program.
    public init(name: String, command: String, version: String, day: String = "", related: [String] = []) {
        (self.name, self.command, self.version, self.day) = (name, command, version, day)
        self.related = related
    }
}
