internal import Foundation

/// The command line of a process, as swift-argument-parser describes it.
///
/// This reads the format of its `_dumpHelp()`, version 0: the package offers the format to tools, and its types to none.
public struct CommandHelp: Decodable, Sendable, Equatable {
    /// The command's name.
    public let commandName: String
    /// What it does, in a sentence.
    public let abstract: String?
    /// What there is to know besides.
    public let discussion: String?
    /// Its commands.
    public let subcommands: [CommandHelp]?
    /// Its arguments.
    public let arguments: [Argument]?
    private let shouldDisplay: Bool?

    /// An argument of a command.
    public struct Argument: Decodable, Sendable, Equatable {
        /// Whether it is a word in its place, an option with a value, or a flag.
        public let kind: Kind
        /// Its value's name.
        public let valueName: String?
        /// What it means.
        public let abstract: String?
        /// What its value may be, where that is known.
        public let allValues: [String]?
        /// Whether it may be left out.
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

    /// Reads the JSON of `_dumpHelp()`.
    ///
    /// - Throws: `DecodingError` for JSON of another format.
    public init(dump: String) throws {
        struct Dump: Decodable { let command: CommandHelp }
        self = try JSONDecoder().decode(Dump.self, from: Data(dump.utf8)).command
    }

    /// The commands in help, without `help` itself.
    public var commands: [CommandHelp] {
        (subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
    }

    /// The options and flags in help.
    public var options: [Argument] { (arguments ?? []).filter { $0.isShown && $0.kind != .positional } }

    /// The words in their places.
    public var positions: [Argument] { (arguments ?? []).filter { $0.isShown && $0.kind == .positional } }
}

extension CommandHelp.Argument {
    fileprivate var isShown: Bool { shouldDisplay }

    /// The names with their dashes, the long ones last.
    public var spellings: [String] {
        (names ?? []).map { $0.kind == "long" ? "--\($0.name)" : "-\($0.name)" }.sorted { $0.count < $1.count }
    }

    /// How it is written: `-h, --help`, `--port PORT`, `FILE`.
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

    /// The argument with what it means.
    public var term: Manual.Term { Manual.Term(form, abstract ?? "") }
}
