import CanonicalJSON
import ControllerKit
import MCPView

/// Books with titles of unknown origin.
@MainActor
final class Shelf {
    var titles: [String: String]
    /// The actor of the running call, and the actors of the changes.
    var actor = "the person"
    var actors: [String] = []
    /// A fact that the user must know before a call; nil: there is none.
    var fact: String?
    /// The name of the command that the fact is about.
    var undoneCommand: String?

    init(_ titles: [String: String]) { self.titles = titles }
}

enum ShelfScreen: Screen {
    static let name = "shelf"
    static let summary = "Books."

    struct State: ScreenState {
        var rows: [Row] = []
        var notice: String?

        struct Row: Codable, Equatable, Sendable {
            var id: String
            var title: String
        }
    }

    enum Intent: Sendable {
        case list(limit: Int?), show(String), remove([String]), label([String]), rename(String, String), wait
        case unlock, export
    }

    static let verbs: [Verb<Intent>] = [
        Verb("list", .option(.integer("limit", help: "Rows.")), traits: .readOnly, help: "List books.") {
            .list(limit: $0)
        },
        Verb("show", .record("record"), traits: .readOnly, help: "Show a book.") { .show($0) },
        Verb(
            "rm", .rest(.record("records"), isRequired: true), answer: .notice, traits: .destructive,
            help: "Remove books."
        ) { .remove($0) },
        Verb(
            "label", .rest(.text("words", completing: CompletionKind("words", namesRecords: true))), answer: .notice,
            help: "Label books."
        ) { .label($0) },
        Verb("rename", .record("record"), .option(.contents("title", help: "A file.")), help: "Rename a book.") {
            .rename($0, $1 ?? "")
        },
        Verb("wait", traits: .readOnly, help: "Wait.") { .wait },
        Verb("unlock", .secret("code"), help: "Unlock the shelf.") { _ in .unlock },
        Verb("export", .text("path", completing: .files), help: "Write a file.") { _ in .export },
    ]
}

final class ShelfController: Controller {
    typealias Screen = ShelfScreen
    let model = Model(ShelfScreen.State())
    private let shelf: Shelf

    init(_ shelf: Shelf) { self.shelf = shelf }

    func handle(_ intent: ShelfScreen.Intent) async throws {
        switch intent {
        case .list(let limit): state.rows = Array(rows.prefix(limit ?? 1_000))
        case .show(let id): state.rows = rows.filter { $0.id == id }
        case .remove(let ids):
            for id in ids { shelf.titles[id] = nil }
            changed("Removed \(ids.count).")
        case .label(let words): changed("Labelled: \(words.joined(separator: " ")).")
        case .rename(let id, let title):
            if title.isEmpty { throw Failure(.rejected, "“\(shelf.titles[id] ?? "")” needs a title.") }
            shelf.titles[id] = title
            changed("Renamed.")
        case .wait: try await Task.sleep(for: .seconds(600))
        case .unlock, .export: changed("Done.")
        }
    }

    private var rows: [ShelfScreen.State.Row] {
        shelf.titles.sorted { $0.key < $1.key }.map { .init(id: $0.key, title: $0.value) }
    }

    private func changed(_ notice: String) {
        state.notice = notice
        shelf.actors.append(shelf.actor)
    }
}

/// A room that contains the shelf.
enum RoomScreen: Screen {
    struct State: ScreenState { var isLit = false }
    enum Intent: Sendable { case light }
    static let name = "room"
    static let summary = "A room."
    static let verbs: [Verb<Intent>] = [Verb("light", help: "Light the room.") { .light }]
    static var children: [any Screen.Type] { [ShelfScreen.self] }
}

final class RoomController: Controller {
    typealias Screen = RoomScreen
    let model = Model(RoomScreen.State())
    func handle(_ intent: RoomScreen.Intent) async throws { state.isLit = true }
}

/// A session over a shelf, and its host at the other end.
@MainActor
final class Host {
    let shelf: Shelf
    private(set) var lines: [String] = []
    private let feed: AsyncThrowingStream<[UInt8], any Error>.Continuation
    private let output: AsyncStream<String>
    private let session: Task<CommandStatus, any Error>
    private var lastID: Int64 = 0

    static let grants = [
        ToolGrant("list", page: "limit"), ToolGrant("show"), ToolGrant("rm"), ToolGrant("label"), ToolGrant("rename"),
        ToolGrant("wait"),
    ]

    /// The contents of `_meta` of a request of the stateless revision.
    static func meta(asks: Bool = true) -> JSONValue {
        [
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": ["name": "Stateless host", "version": "1"],
            "io.modelcontextprotocol/clientCapabilities": asks ? ["elicitation": ["form": [:]]] : [:],
        ]
    }

    init(
        _ titles: [String: String] = ["a": "Dune", "b": "Emma", "c": "Ulysses"], mayWrite: Bool = true,
        granting grants: [ToolGrant] = Host.grants, now: @escaping () -> ContinuousClock.Instant = { .now },
        breaksOutput: Bool = false
    ) throws {
        let shelf = Shelf(titles)
        self.shelf = shelf
        let (input, feed) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        let (output, written) = AsyncStream.makeStream(of: String.self)
        self.feed = feed
        self.output = output
        let session = try MCPSession(
            try Catalog([
                .screen(RoomScreen.self) { _ in RoomController() },
                .screen(ShelfScreen.self) { _ in ShelfController(shelf) },
            ]),
            of: Program(name: "Shelf", command: "shelf", version: "1.2"), granting: grants, mayWrite: mayWrite,
            input: input,
            acting: { actor, body in
                shelf.actor = actor
                try await body()
            },
            subjects: { _, ids in
                await MainActor.run { () -> [CallSubject] in
                    var subjects: [CallSubject] = ids.compactMap { id in
                        shelf.titles[id].map { CallSubject(id: id, title: $0) }
                    }
                    if let fact = shelf.fact {
                        subjects.append(CallSubject(title: fact, undoneCommand: shelf.undoneCommand))
                    }
                    return subjects
                }
            }, now: now,
            write: { line in
                if breaksOutput { throw Failure(.failed, "The output is closed.") }
                written.yield(line)
            })
        self.session = Task {
            defer { written.finish() }
            return try await session.run([])
        }
    }

    /// Sends a line.
    func send(_ line: String) { feed.yield(Array((line + "\n").utf8)) }

    func send(_ message: JSONObject) { send(message.adding(["jsonrpc": "2.0"]).text) }

    /// The next message.
    func next() async throws -> JSONObject {
        for await line in output {
            lines.append(line)
            return try JSONValue(parsing: line).object ?? [:]
        }
        throw Failure(.failed, "The session has ended.")
    }

    /// Sends a request, and returns its id.
    @discardableResult
    func request(_ method: String, _ params: JSONObject = [:]) -> JSONValue {
        lastID += 1
        send(["id": .integer(lastID), "method": .string(method), "params": .object(params)])
        return .integer(lastID)
    }

    /// Sends a request, and returns the next message, which answers it.
    func ask(_ method: String, _ params: JSONObject = [:]) async throws -> JSONObject {
        let id = request(method, params)
        let answer = try await next()
        guard answer["id"] == id else { throw Failure(.failed, "\(answer.text) does not answer \(method).") }
        return answer
    }

    /// Begins a session.
    @discardableResult
    func initialize(
        asks: Bool = true, name: String = "Test host", revision: String = "2025-11-25"
    ) async throws -> JSONObject {
        let answer = try await ask(
            "initialize",
            [
                "protocolVersion": .string(revision), "clientInfo": ["name": .string(name), "version": "1"],
                "capabilities": asks ? ["elicitation": [:]] : [:],
            ])
        send(["method": "notifications/initialized"])
        return answer["result"]?.object ?? [:]
    }

    /// Calls a tool that asks no question, and returns its result.
    func call(_ tool: String, _ arguments: JSONObject = [:]) async throws -> JSONObject {
        try await ask("tools/call", ["name": .string(tool), "arguments": .object(arguments)])["result"]?.object ?? [:]
    }

    /// Ends the input, and returns how the session ended.
    @discardableResult
    func end() async throws -> CommandStatus {
        feed.finish()
        return try await session.value
    }
}

extension JSONObject {
    /// A nested member: `["result", "notice"]`.
    subscript(path: [String]) -> JSONValue? {
        path.dropFirst().reduce(path.first.flatMap { self[$0] }) { $0?.object?[$1] }
    }

    /// The code of an error.
    var code: Int64? { self[["error", "code"]]?.integer }
}
