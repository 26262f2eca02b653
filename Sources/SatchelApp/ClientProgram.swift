public import ControllerKit
public import Controllers
public import LineView
internal import LocalStore
public import MCPView
internal import Notebook
internal import Processes
public import Records
internal import SatchelScreens
public import WebPageView

/// A client program: its names, record types, screens, page design, help and tools. The cache, the sync and the front
/// ends are the same for all programs.
///
///     let shelf = ClientProgram(
///         Program(name: "Shelf", command: "shelf", version: "1.0"), types: .standard.adding(.book))
public struct ClientProgram: Sendable {
    /// The names in messages, help and files.
    public let program: Program
    /// The purpose in a sentence, for `--help` and the man page.
    public var summary = "Records in the terminal, on every machine."
    /// The front ends, the default first.
    public var views = ClientView.standard
    /// The record types that it stores and syncs.
    public let types: RecordTypes
    /// Creates the screens with their renderers.
    public var screens: @MainActor @Sendable (Services) throws -> Catalog
    /// The part of the prompt that shows the sync and the context; nil: none.
    public var status: PromptStatus?
    /// The design of the page.
    public var design: PageDesign
    /// The examples at the beginning of the help.
    public var tour: [ExampleGroup]
    /// The topics of the help, without that of the fields.
    public var topics: [HelpTopic] {
        get { customTopics ?? HelpTopic.standard(of: program, types) }
        set { customTopics = newValue }
    }
    /// The verbs that assistants may use.
    public var tools: [ToolGrant] {
        get { customTools ?? ToolGrant.standard(of: types) }
        set { customTools = newValue }
    }
    // nil: the standard ones. They are created when they are read: most commands don't need them, and creating them takes
    // longer than the rest of the start.
    private var customTopics: [HelpTopic]?
    private var customTools: [ToolGrant]?

    /// Creates a program with Satchel's front ends, screens, page, topics and tools, and without examples.
    ///
    /// Commands, help, page and tools name only the given types and their fields: without a type whose records can
    /// be completed, there is no command `done`, and without tags no command `tag`.
    ///
    /// - Parameter types: The record types; by default Satchel's tasks, notes and saved filters.
    public init(_ program: Program, types: RecordTypes = .standard) {
        self.program = program
        self.types = types
        screens = { try .satchel($0) }
        status = .syncAndContext
        design = .satchel
        design.program = program
        tour = []
    }

    /// Satchel's client.
    public static let satchel: ClientProgram = {
        var client = ClientProgram(Program.satchel)
        client.summary = "Tasks and notes in the terminal, on every machine."
        client.tour = .satchel
        return client
    }()
}

extension ClientProgram {
    /// The names of the home: the program's directory in the user's data directory, or the value of its variable.
    var home: Home.Names {
        Home.Names(directory: program.command, variable: program.variable("HOME"), cache: program.cacheFile)
    }

    /// The names of the environment variables that hooks receive.
    var hookVariables: HookRunner.Variables {
        HookRunner.Variables(home: program.variable("HOME"), hook: program.variable("HOOK"))
    }

    /// Returns the help.
    @MainActor
    func help(_ catalog: Catalog, _ services: Services) -> HelpBook {
        HelpBook(
            catalog, of: program, frontends: views.map { $0.type }.filter { $0.name != LineSession.name },
            tour: tour, topics: topics + [.fields(of: services.notebook.types)],
            aliases: CommandAliases(services.settings.values.aliases))
    }

    /// Returns the help of an empty home.
    @MainActor
    func help() throws -> HelpBook {
        // The man page doesn't name the aliases of one user.
        let services = try Services.reading(nil, of: self)
        return help(try screens(services), services)
    }
}
