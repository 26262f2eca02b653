internal import CanonicalJSON
public import ControllerKit
internal import Foundation

/// A granted verb for a host. Its schemas are derived from the verb's arguments and the screen's state.
struct Tool: Sendable {
    /// The name in `tools/list`: letters, digits, `_` and `-`.
    let name: String
    let command: ScreenVerb
    /// The entry in `tools/list`, without any text of the person.
    let definition: JSONValue
    private let grant: ToolGrant
    private let arguments: [ArgumentSpec]

    /// The limit for the tools of a host.
    static let maximum = 20
    /// The default and the limit for the rows of a list.
    static let usualPage: Int64 = 50, longestPage: Int64 = 200

    /// - Throws: `Failure` for a verb that must not be granted: it takes a secret, or a path of this machine.
    @MainActor
    init(_ grant: ToolGrant, of catalog: Catalog) throws(Failure) {
        command = try catalog.command(grant.verb)
        self.grant = grant
        name = command.spelling.replacing(" ", with: "_")
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
            let state = try JSONValue(parsing: JSONEncoder.stateText(of: catalog.stateSchema(of: command.screen)))
            definition = try Self.definition(name, verb, grant, arguments, state: state)
        } catch { throw Failure(.failed, "“\(verb.name)” has no schema: \(error)") }
    }

    var isReadOnly: Bool { command.verb.traits.contains(.readOnly) }

    /// Returns whether the person must be asked before a call with these records, as before each change of several.
    func asks(about ids: [String]) -> Bool { Self.asksAlways(command.verb, grant) || !isReadOnly && ids.count > 1 }

    private static func asksAlways(_ verb: VerbSignature, _ grant: ToolGrant) -> Bool {
        grant.asks || verb.traits.contains(.destructive)
    }

    // MARK: Arguments

    /// Returns the values of a call that the person has allowed.
    func confirmed(_ values: ArgumentValues) -> ArgumentValues {
        var values = values
        for argument in command.verb.arguments where argument.isConfirmation { values[argument.name] = .flag(true) }
        return values
    }

    /// Returns the values of a call's arguments.
    /// - Throws: `Failure` of category `usage` for an unknown argument or a wrong value.
    func values(of members: JSONObject) throws(Failure) -> ArgumentValues {
        var members = members.withoutNulls
        if let unknown = members.sortedNames.first(where: { name in !arguments.contains { $0.name == name } }) {
            throw Failure(.usage, "“\(name)” takes no “\(unknown)”.")
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

    private static func definition(
        _ name: String, _ verb: VerbSignature, _ grant: ToolGrant, _ arguments: [ArgumentSpec], state: JSONValue
    ) throws -> JSONValue {
        var properties = JSONObject()
        for argument in arguments { properties[argument.name] = try schema(of: argument, grant) }
        let asks = asksAlways(verb, grant) ? " The person is asked before each call." : ""
        return [
            "name": .string(name), "description": .string(verb.help + asks), "outputSchema": outputSchema(state),
            "inputSchema": [
                "type": "object", "properties": .object(properties), "additionalProperties": false,
                "required": .array(arguments.filter(\.isRequired).map { .string($0.name) }),
            ],
            "annotations": [
                "readOnlyHint": .bool(verb.traits.contains(.readOnly)),
                "destructiveHint": .bool(verb.traits.contains(.destructive)),
                "openWorldHint": .bool(verb.traits.contains(.remote)),
            ],
        ]
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

    /// Returns the schema of a call's result: the screen's state or an error.
    private static func outputSchema(_ state: JSONValue) -> JSONValue {
        let categories = Failure.Category.allCases.map { JSONValue.string($0.rawValue) }
        var result = state.object ?? [:]
        var schema: JSONObject = ["type": "object"]
        // `$ref` in the state's schema refers to the root of the document (`#/$defs/…`).
        (schema["$defs"], result["$defs"]) = (result["$defs"], nil)
        let members: JSONValue = [
            "category": ["type": "string", "enum": .array(categories)], "message": ["type": "string"],
        ]
        schema["properties"] = [
            "result": .object(result),
            "error": ["type": "object", "properties": members, "required": ["category", "message"]],
        ]
        return .object(schema)
    }
}

/// An entry of a program's allow-list: a verb that assistants may use. A verb that isn't listed isn't a tool.
public struct ToolGrant: Sendable {
    /// The name of the verb.
    public let verb: String
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
    ) { (self.verb, self.hidden, self.records, self.page, self.asks) = (verb, hidden, records, page, asks) }
}

/// Returns the subjects of a call: the records with these ids, deleted ones included, or, without an id, other facts
/// that the person must know to decide about the call.
public typealias CallSubjects = @Sendable (VerbSignature, _ ids: [String]) async throws -> [CallSubject]
/// A subject of a call: a record, or a fact if there is no id.
public typealias CallSubject = (id: String?, title: String)
