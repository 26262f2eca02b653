import CanonicalJSON
import ControllerKit
import Controllers
import Foundation
import Records
import SatchelApp
import Terminal
import TestSupport
import Testing

/// A device that is used by commands, as at a shell: each command is performed by a client of its own over the same
/// cache. Nothing is synced automatically, and no socket is opened.
///
///     let account = try SharedServer()
///     let laptop = try await account.device()
///     try await laptop.run("add", "Buy milk", "+shop")
@MainActor
final class CommandDevice {
    private let services: Services
    private let advance: () -> Void
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    /// The texts of files by their names; `-` is the standard input.
    var files: [String: String] = [:]
    /// The path of the configuration file; nil: none is read.
    var config: String?
    /// The files of folders: the folder's name, then the text by file name.
    var folders: [String: [String: String]] = [:]
    /// The user's edit of a text in an editor; nil: there is no terminal. An error is a failure of the editor.
    var edits: (@MainActor (String) async throws -> String)?

    /// - Parameter advance: Advances the device's clock by a second.
    fileprivate init(_ services: Services, advance: @escaping () -> Void) {
        (self.services, self.advance) = (services, advance)
    }

    /// Creates a device without an account. A request to a server fails the test.
    static func alone(types: RecordTypes = .standard) throws -> CommandDevice {
        let clock = ManualClock()
        return CommandDevice(try .testing(clock: clock, types: types)) { clock.advance(by: .seconds(1)) }
    }

    deinit {
        // Most commands create no file in the home.
        try? FileManager.default.removeItem(at: folder)
    }

    /// Runs a front end of the client. The clock is advanced by a second first.
    ///
    /// - Parameters:
    ///   - view: The name of the front end.
    ///   - client: The program.
    ///   - input: The standard input of a front end that doesn't read lines.
    ///   - mayWrite: Whether a front end that is read-only by default may change records.
    func run(
        _ view: String, of client: ClientProgram = .satchel, _ words: [String], on terminal: ScriptedTerminal,
        input: String = "", mayWrite: Bool = false
    ) async throws -> CommandStatus {
        advance()
        let environment = [client.program.variable("SYNC"): "manual"]
        var configuration = ClientConfiguration(client, home: folder.path, environment: environment)
        configuration.mayWrite = mayWrite
        if let config { configuration.readSettings(config, environment: environment) }
        let bytes = AsyncThrowingStream<[UInt8], any Error> { stream in
            stream.yield(Array(input.utf8))
            stream.finish()
        }
        let app = ClientApp(services, configuration, terminal: terminal, input: bytes, environment: environment)
        return try await app.run(try #require(client.views.first { $0.type.name == view }), words)
    }

    /// The output of a command and the status of its process.
    struct Answer {
        let status: CommandStatus
        /// The standard output.
        let out: String
        /// The standard error.
        let err: String
    }

    /// Performs a command, which may fail. The clock is advanced by a second first.
    func attempt(_ words: [String]) async throws -> Answer {
        let terminal = ScriptedTerminal(isInteractive: edits != nil, folders: folders)
        (terminal.files, terminal.edits) = (files, edits)
        let status: CommandStatus
        do { status = try await run("line", words, on: terminal) } catch {
            // As `ClientConfiguration.run` does.
            try await terminal.writeMessage(Failure(error).message)
            status = CommandStatus(Failure(error).category)
        }
        files = terminal.files
        return Answer(status: status, out: terminal.data, err: terminal.messages)
    }

    /// Performs a command, which may fail. The clock is advanced by a second first.
    func attempt(_ words: String...) async throws -> Answer { try await attempt(words) }

    /// Performs a command, which must succeed. The clock is advanced by a second first.
    @discardableResult
    func run(_ words: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws -> Answer {
        let answer = try await attempt(words)
        #expect(answer.status == .ok, "\(words): \(answer.out)\(answer.err)", sourceLocation: sourceLocation)
        return answer
    }
}

// Frequent commands of tests.
extension CommandDevice {
    func sync() async throws { try await run("sync") }

    /// The state of a screen after a command, as `--json` prints it.
    func state(_ words: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws -> JSONObject {
        try await state(words, sourceLocation: sourceLocation)
    }

    /// Performs a command and returns the state that `--json` prints.
    func state(_ words: [String], sourceLocation: SourceLocation = #_sourceLocation) async throws -> JSONObject {
        let answer = try await attempt(words + ["--json"])
        #expect(answer.status == .ok, "\(words): \(answer.err)", sourceLocation: sourceLocation)
        return try #require(JSONValue(parsing: answer.out).object, sourceLocation: sourceLocation)
    }

    /// All live records, in the order of the export.
    func records(_ collection: String? = nil) async throws -> [Exported] {
        let export = try #require(JSONValue(parsing: try await run("export").out).object)
        return (export["records"]?.array ?? []).compactMap { value in
            guard let record = value.object, let id = record["id"]?.string, let fields = record["fields"]?.object,
                let own = record["collection"]?.string, collection == nil || own == collection
            else { return nil }
            return Exported(id: id, collection: own, fields: fields)
        }
    }

    /// A record of the export.
    struct Exported: Equatable {
        let id: String
        let collection: String
        let fields: JSONObject
        var title: String { fields["title"]?.string ?? "" }
    }

    /// The sorted titles of a collection.
    func titles(_ collection: String = "tasks") async throws -> [String] {
        try await records(collection).map(\.title).sorted()
    }

    /// The one record with this title.
    func record(_ title: String) async throws -> Exported {
        let found = try await records().filter { $0.title == title }
        try #require(found.count == 1, "\(found.count) records are called “\(title)”")
        return found[0]
    }

    /// The fields of a record.
    func fields(_ id: String) async throws -> JSONObject {
        try #require(try await records().first { $0.id == id }).fields
    }

    /// The lines of a record's body.
    func lines(_ id: String) async throws -> [String] {
        let body = try await fields(id)["body"]?.string ?? ""
        return body.split(separator: "\n", omittingEmptySubsequences: false).map(String.init).dropLast(
            body.hasSuffix("\n") ? 1 : 0)
    }

    /// Adds a task and returns its id.
    func add(_ words: String...) async throws -> String {
        let answer = try await attempt(["add"] + words + ["--json"])
        let state = try JSONValue(parsing: answer.out).object
        return try #require(state?["changed"]?.array?.first?.string, "\(words): \(answer.err)")
    }

    /// Replaces the body of a record.
    func write(_ id: String, _ lines: [String]) async throws {
        files["body.txt"] = lines.map { $0 + "\n" }.joined()
        try await run("edit", id, "--body-file", "body.txt")
    }
}

/// A server in this process. Its devices share the account `ada` and the server's clock.
@MainActor
final class SharedServer {
    let server: InProcessServer

    init() throws { server = try InProcessServer(clock: .init(milliseconds: 1_795_238_400_000)) }

    /// Creates a device that is signed in.
    func device(timeZone: TimeZone = .gmt) async throws -> CommandDevice {
        let clock = server.clock
        return CommandDevice(try await .testing(on: server, timeZone: timeZone)) { clock.advance(by: .seconds(1)) }
    }

    /// Two devices on which this task was added and synced, and its id.
    func two(with title: String = "Buy milk") async throws -> (
        laptop: CommandDevice, desktop: CommandDevice, id: String
    ) {
        let (laptop, desktop) = (try await device(), try await device())
        let id = try await laptop.add(title)
        try await meet(laptop, desktop)
        return (laptop, desktop, id)
    }
}

/// Syncs all devices twice, then requires that their exports are equal.
@MainActor
func meet(_ devices: CommandDevice..., sourceLocation: SourceLocation = #_sourceLocation) async throws {
    for _ in 0..<2 {
        for device in devices { try await device.sync() }
    }
    let first = try await devices[0].run("export").out
    for device in devices.dropFirst() {
        #expect(try await device.run("export").out == first, sourceLocation: sourceLocation)
    }
}
