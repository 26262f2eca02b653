internal import CanonicalJSON
public import ControllerKit
internal import Foundation

/// A tool for a host: a granted verb, or several read-only ones of which an argument chooses.
struct Tool: Sendable {
    /// The name in `tools/list`: letters, digits, `_` and `-`.
    let name: String
    /// The entry in `tools/list`, without any text of the person.
    private let definition: JSONValue
    let isReadOnly: Bool
    /// The verbs by the value of the argument ``choice``; a single verb has no such argument.
    private let verbs: [(name: String, verb: GrantedVerb)]

    /// The limit for the tools of a host.
    static let maximum = 20
    /// The argument that chooses a verb.
    private static let choice = "kind"

    /// - Throws: `Failure` for a verb that must not be granted: it takes a secret, or a path of this machine.
    @MainActor
    init(_ grant: ToolGrant, of catalog: Catalog) throws(Failure) {
        var verbs: [(name: String, verb: GrantedVerb)] = []
        for name in grant.verbs { verbs.append((name, try GrantedVerb(name, grant, of: catalog))) }
        guard let first = verbs.first?.verb else { throw Failure(.failed, "A tool needs a verb.") }
        isReadOnly = verbs.allSatisfy(\.verb.isReadOnly)
        self.verbs = verbs
        do {
            if let name = grant.name {
                guard isReadOnly else { throw Failure(.failed, "The tool “\(name)” can only have read-only verbs.") }
                self.name = name
                definition = try Self.definition(name, of: verbs)
            } else {
                name = first.command.spelling.replacing(" ", with: "_")
                definition = try first.definition(name)
            }
        } catch let failure as Failure { throw failure } catch {
            throw Failure(.failed, "“\(grant.verbs.joined(separator: ", "))” has no schema: \(error)")
        }
    }

    /// Returns the entry in `tools/list` with the members that a revision has.
    func definition(in revision: Revision) -> JSONValue {
        var members = definition.object ?? [:]
        if !revision.hasStructuredContent { members["outputSchema"] = nil }
        if !revision.hasAnnotations { members["annotations"] = nil }
        return .object(members)
    }

    /// Returns the verb of a call, and its arguments without the one that chooses it.
    /// - Throws: `Failure` of category `usage` if no verb is chosen.
    func verb(for arguments: JSONObject) throws(Failure) -> (verb: GrantedVerb, arguments: JSONObject) {
        if verbs.count == 1 { return (verbs[0].verb, arguments) }
        let chosen = arguments[Self.choice]?.string
        guard let verb = verbs.first(where: { $0.name == chosen })?.verb else {
            let names = verbs.map(\.name).joined(separator: ", ")
            throw Failure(.usage, "“\(Self.choice)” must be one of \(names).")
        }
        var rest = arguments
        rest[Self.choice] = nil
        return (verb, rest)
    }

    /// Returns the entry of a tool with several verbs: the arguments of all of them, and a result that is the state of
    /// any of their screens.
    private static func definition(_ name: String, of verbs: [(name: String, verb: GrantedVerb)]) throws -> JSONValue {
        let help = verbs.map { "\($0.name): \($0.verb.command.verb.help)" }.joined(separator: " ")
        var properties: JSONObject = [
            choice: [
                "type": "string", "enum": .array(verbs.map { .string($0.name) }), "description": .string(help),
            ]
        ]
        for (_, verb) in verbs { properties = properties.adding(try verb.properties()) }
        var (states, definitions) = ([JSONValue](), JSONObject())
        for (_, verb) in verbs {
            let (state, shared) = verb.stateSchema()
            definitions = definitions.adding(shared)
            if !states.contains(.object(state)) { states.append(.object(state)) }
        }
        return GrantedVerb.definition(
            name, "Show a report. " + help, properties, required: [choice],
            outputSchema: GrantedVerb.outputSchema(["anyOf": .array(states)], definitions), traits: .readOnly)
    }
}

/// A verb that a tool calls. Its schemas are derived from the verb's arguments and the screen's state.
struct GrantedVerb: Sendable {
    let command: ScreenVerb
    private let grant: ToolGrant
    private let arguments: [ArgumentSpec]
    private let state: JSONValue

    /// The default and the limit for the rows of a list.
    static let usualPage: Int64 = 50, longestPage: Int64 = 200

    /// - Throws: `Failure` for a verb that must not be granted: it takes a secret, or a path of this machine.
    @MainActor
    fileprivate init(_ name: String, _ grant: ToolGrant, of catalog: Catalog) throws(Failure) {
        command = try catalog.command(name)
        self.grant = grant
        let verb = command.verb
        // The person is asked by the host, so the assistant can't confirm a call.
        arguments = verb.arguments.filter {
            !grant.hidden.contains($0.name) && !$0.isConfirmation && $0.editorUnless == nil
        }
        let named = grant.hidden.union(grant.records).union([grant.page].compactMap(\.self))
        if let unknown = named.first(where: { verb.argument(named: $0) == nil }) {
            throw Failure(.failed, "“\(verb.name)” has no argument “\(unknown)”.")
        }
        let unusable = verb.arguments.first {
            let isForbidden = $0.kind == .secret || $0.isLocal || $0.kind == .text && $0.completion == .files
            return grant.hidden.contains($0.name) ? $0.isRequired : isForbidden
        }
        if let unusable {
            throw Failure(.failed, "Assistants cannot give the argument “\(unusable.name)” of “\(verb.name)”.")
        }
        do {
            state = try JSONValue(parsing: JSONEncoder.stateText(of: catalog.stateSchema(of: command.screen)))
        } catch { throw Failure(.failed, "“\(verb.name)” has no schema: \(error)") }
    }

    var isReadOnly: Bool { command.verb.traits.contains(.readOnly) }

    /// Returns whether the person must be asked before a call with these records, as before each change of several.
    func asks(about ids: [String]) -> Bool { Self.asksAlways(command.verb, grant) || !isReadOnly && ids.count > 1 }

    private static func asksAlways(_ verb: VerbSignature, _ grant: ToolGrant) -> Bool {
        grant.asks || verb.traits.contains(.destructive)
    }

    // MARK: Arguments

    /// Returns the values of a call that the person has allowed, which then undoes no command but the one of its subjects.
    func confirmed(_ values: ArgumentValues, of subjects: [CallSubject]) -> ArgumentValues {
        var values = values
        if let argument = command.verb.undoneCommand, let name = subjects.lazy.compactMap(\.undoneCommand).first {
            values[argument.name] = .text(name)
        }
        for argument in command.verb.arguments where argument.isConfirmation { values[argument.name] = .flag(true) }
        return values
    }

    /// Returns the values of a call's arguments.
    /// - Throws: `Failure` of category `usage` for an unknown argument or a wrong value.
    func values(of members: JSONObject) throws(Failure) -> ArgumentValues {
        var members = members.withoutNulls
        if let unknown = members.sortedNames.first(where: { name in !arguments.contains { $0.name == name } }) {
            throw Failure(.usage, "“\(command.spelling)” takes no “\(unknown)”.")
        }
        if let page = grant.page {
            let rows = members[page] ?? .integer(Self.usualPage)
            guard let count = rows.integer, (1...Self.longestPage).contains(count) else {
                throw Failure(.usage, "“\(page)” must be a whole number from 1 to \(Self.longestPage).")
            }
            members[page] = rows
        }
        do { return try JSONDecoder().decode(ArgumentValues.self, from: Data(members.text.utf8)) } catch {
            throw Failure(.usage, "An argument must be a text, a number, true or false, or a list of texts.")
        }
    }

    /// Returns the ids of the records that the values name, each once.
    /// - Throws: `Failure` of category `usage` if records are selected without ids, as by a filter: the person is asked
    ///   about known records only.
    func ids(in values: ArgumentValues) throws(Failure) -> [String] {
        var ids: [String] = []
        for argument in arguments where Self.namesRecords(argument, grant) {
            switch values[argument.name] {
            case .text(let id)?: ids.append(id)
            case .list(let words)? where argument.kind == .record: ids += words
            // The words may contain tags, too: `+tag`, `-tag`.
            case .list(let words)?:
                let named = words.filter { !$0.hasPrefix("+") && !$0.hasPrefix("-") }
                // Otherwise the first of these words could be a filter, and the person isn't asked about its records.
                if named.isEmpty { throw Failure(.usage, "“\(argument.name)” names no record. Give whole ids.") }
                ids += named
            case .number, .integer, .flag, nil: break
            }
        }
        var known: Set<String> = []
        return ids.filter { known.insert($0).inserted }
    }

    private static func namesRecords(_ argument: ArgumentSpec, _ grant: ToolGrant) -> Bool {
        argument.kind == .record || argument.completion.namesRecords || grant.records.contains(argument.name)
    }

    // MARK: Schemas

    /// Returns the entry of a tool that has only this verb.
    fileprivate func definition(_ name: String) throws -> JSONValue {
        let asks = Self.asksAlways(command.verb, grant) ? " The person is asked before each call." : ""
        let (state, shared) = stateSchema()
        return Self.definition(
            name, command.verb.help + asks, try properties(), required: arguments.filter(\.isRequired).map(\.name),
            outputSchema: Self.outputSchema(state, shared), traits: command.verb.traits)
    }

    fileprivate static func definition(
        _ name: String, _ description: String, _ properties: JSONObject, required: [String], outputSchema: JSONValue,
        traits: VerbTraits
    ) -> JSONValue {
        [
            "name": .string(name), "description": .string(description), "outputSchema": outputSchema,
            "inputSchema": [
                "type": "object", "properties": .object(properties), "additionalProperties": false,
                "required": .array(required.map { .string($0) }),
            ],
            "annotations": [
                "readOnlyHint": .bool(traits.contains(.readOnly)),
                "destructiveHint": .bool(traits.contains(.destructive)),
                "openWorldHint": .bool(traits.contains(.remote)),
            ],
        ]
    }

    /// Returns the schemas of the arguments by name.
    fileprivate func properties() throws -> JSONObject {
        var properties = JSONObject()
        for argument in arguments { properties[argument.name] = try Self.schema(of: argument, grant) }
        return properties
    }

    /// Returns the schema of the screen's state, and the definitions that its `$ref` name.
    fileprivate func stateSchema() -> (state: JSONObject, definitions: JSONObject) {
        var schema = state.object ?? [:]
        let definitions = schema["$defs"]?.object ?? [:]
        schema["$defs"] = nil
        return (schema, definitions)
    }

    private static func schema(of argument: ArgumentSpec, _ grant: ToolGrant) throws -> JSONValue {
        var schema = try JSONValue(parsing: JSONEncoder.stateText(of: argument.schema)).object ?? [:]
        let isPage = argument.name == grant.page
        var notes = [isPage ? "How many rows, \(usualPage) if left out, at most \(longestPage)." : argument.help]
        // The verb's help is written for the prompt, where such a text is read from a file.
        if argument.kind == .contents { notes.append("Give the text itself, not the name of a file.") }
        if namesRecords(argument, grant) { notes.append("Records are named by whole ids, never by numbers.") }
        let bounds: JSONObject = ["minimum": 1, "maximum": .integer(longestPage), "default": .integer(usualPage)]
        if isPage { schema = schema.adding(bounds) }
        schema["description"] = .string(notes.filter { !$0.isEmpty }.joined(separator: " "))
        return .object(schema)
    }

    /// Returns the schema of a call's result: a state or an error.
    fileprivate static func outputSchema(_ state: JSONObject, _ definitions: JSONObject) -> JSONValue {
        let categories = Failure.Category.allCases.map { JSONValue.string($0.rawValue) }
        let members: JSONValue = [
            "category": ["type": "string", "enum": .array(categories)], "message": ["type": "string"],
        ]
        var schema: JSONObject = [
            "type": "object",
            "properties": [
                "result": .object(state),
                "error": ["type": "object", "properties": members, "required": ["category", "message"]],
            ],
        ]
        // `$ref` in the state's schema refers to the root of the document (`#/$defs/…`).
        if !definitions.sortedNames.isEmpty { schema["$defs"] = .object(definitions) }
        return .object(schema)
    }
}

/// An entry of a program's allow-list: a verb that assistants may use. A verb that isn't listed isn't a tool.
public struct ToolGrant: Sendable {
    /// The names of the verbs: one, or those of which a tool's argument chooses.
    public let verbs: [String]
    /// The name of a tool with several verbs; nil: that of its verb.
    let name: String?
    let hidden: Set<String>
    let records: Set<String>
    let page: String?
    let asks: Bool

    /// Grants a verb.
    /// - Parameters:
    ///   - hidden: The arguments that aren't in the schema and are refused.
    ///   - records: The text arguments that name records; arguments of the kind `record` always do.
    ///   - page: The argument for the number of rows of a list, which is limited.
    ///   - asks: Whether the person is asked before each call, as for destructive verbs and changes of several records.
    public init(
        _ verb: String, without hidden: Set<String> = [], records: Set<String> = [], page: String? = nil,
        asks: Bool = false
    ) {
        (verbs, name) = ([verb], nil)
        (self.hidden, self.records, self.page, self.asks) = (hidden, records, page, asks)
    }

    /// Grants read-only verbs as one tool: its argument `kind` has the name of the verb. Arguments with the same name must
    /// have the same meaning.
    public init(_ name: String, oneOf verbs: [String]) {
        (self.verbs, self.name) = (verbs, name)
        (hidden, records, page, asks) = ([], [], nil, false)
    }

    /// Returns the grant without the verbs that a program doesn't have; nil: it has none of them.
    public func without(_ missing: Set<String>) -> ToolGrant? {
        let left = verbs.filter { !missing.contains($0) }
        if left.isEmpty || left.count < verbs.count && name == nil { return nil }
        return left.count == verbs.count ? self : ToolGrant(name ?? left[0], oneOf: left)
    }
}

/// Returns the subjects of a call: the records with these ids, deleted ones included, or, without an id, other facts
/// that the person must know to decide about the call.
public typealias CallSubjects = @Sendable (VerbSignature, _ ids: [String]) async throws -> [CallSubject]

/// A subject of a call: a record, or a fact if there is no id.
public struct CallSubject: Sendable, Equatable {
    /// The id of the record; nil: it is a fact.
    public let id: String?
    /// The text for the person.
    public let title: String
    /// The name of the command that the call undoes, if the person allows it; nil: it undoes none.
    public let undoneCommand: String?

    /// Creates a subject.
    public init(id: String? = nil, title: String, undoneCommand: String? = nil) {
        (self.id, self.title, self.undoneCommand) = (id, title, undoneCommand)
    }
}
