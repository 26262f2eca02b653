internal import Foundation

/// The command line of a process, as described by swift-argument-parser.
///
/// It is decoded from the JSON of `_dumpHelp()`, version 0: the package has no public types for this format.
public struct CommandHelp: Decodable, Sendable, Equatable {
    /// The command's name.
    public let commandName: String
    /// Its purpose in a sentence.
    public let abstract: String?
    /// Further explanation.
    public let discussion: String?
    /// Its subcommands.
    public let subcommands: [CommandHelp]?
    /// Its arguments.
    public let arguments: [Argument]?
    private let shouldDisplay: Bool?

    /// An argument of a command.
    public struct Argument: Decodable, Sendable, Equatable {
        /// Whether it is a positional argument, an option with a value, or a flag.
        public let kind: Kind
        /// The name of its value.
        public let valueName: String?
        /// Its help.
        public let abstract: String?
        /// The possible values, if known.
        public let allValues: [String]?
        /// Whether it may be omitted.
        public let isOptional: Bool
        private let shouldDisplay: Bool
        private let names: [Name]?

        /// The kinds of a command's arguments.
        public enum Kind: String, Decodable, Sendable {
            /// See `kind`.
            case positional, option, flag
        }

        private struct Name: Decodable, Equatable {
            let kind: String
            let name: String
        }
    }

    /// Decodes the JSON of `_dumpHelp()`.
    ///
    /// - Throws: `DecodingError` for JSON of another format.
    public init(dump: String) throws {
        struct Dump: Decodable { let command: CommandHelp }
        self = try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command
    }

    /// The subcommands for help, without `help` itself.
    public var commands: [CommandHelp] {
        // swift-argument-parser adds `help` to every command that has subcommands.
        (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }

    /// The options and flags for help.
    public var options: [Argument] { (arguments ?? []).filter { $0.isShown && $0.kind != .positional } }

    /// The positional arguments for help.
    public var positions: [Argument] { (arguments ?? []).filter { $0.isShown && $0.kind == .positional } }
}

extension CommandHelp.Argument {
    fileprivate var isShown: Bool { shouldDisplay }

    /// The names with their dashes, the long ones last.
    public var spellings: [String] {
        // The other kinds, `short` and `longWithSingleDash`, have one dash.
        (names ?? []).map { $0.kind == "long" ? "--\($0.name)" : "-\($0.name)" }.sorted { $0.count < $1.count }
    }

    /// Its form in a list: `-h, --help`, `--port PORT`, `FILE`.
    public var form: String {
        let value = (valueName ?? "value").uppercased()
        switch kind {
        case .positional: return value
        case .flag: return spellings.joined(separator: ", ")
        case .option: return spellings.joined(separator: ", ") + " " + value
        }
    }

    /// Its form in a synopsis: `[--port PORT]`, `FILE`.
    public var usage: String {
        let form = kind == .positional ? form : (spellings.last ?? "") + (kind == .option ? " " + value : "")
        return isOptional || kind != .positional ? "[\(form)]" : form
    }

    private var value: String { (valueName ?? "value").uppercased() }

    /// The argument with its help.
    public var term: Manual.Term { Manual.Term(form, abstract ?? "") }
}
