import ControllerKit
import Foundation

/// A line of the output.
enum Event: Encodable {
    /// The first line: the screens and their verbs.
    case hello(Greeting)
    /// The state of a screen; the id is that of the current request, if the state belongs to it.
    case state(RequestID?, screen: String, any ScreenState)
    /// The only outcome of a request that succeeded.
    case done(RequestID?, notice: String?)
    /// The only outcome of a request that failed; without id and line, an error of background work.
    case error(RequestID?, line: Int?, Failure)
    /// A message for the user that doesn't belong to a request.
    case news(String)
    /// The last line: the input has ended, and all requests are answered.
    case end

    private enum Key: String, CodingKey {
        case type, id, `protocol`, version, dialect, screens, screen, state, notice, line, category, message
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Key.self)
        switch self {
        case .hello(let greeting):
            try members.encode("hello", forKey: .type)
            try members.encode(Greeting.protocol, forKey: .protocol)
            try members.encode(greeting.version, forKey: .version)
            try members.encode(Greeting.dialect, forKey: .dialect)
            try members.encode(greeting.screens, forKey: .screens)
        case .state(let id, let screen, let state):
            try members.encode("state", forKey: .type)
            try members.encodeIfPresent(id, forKey: .id)
            try members.encode(screen, forKey: .screen)
            try members.encode(state, forKey: .state)
        case .done(let id, let notice):
            try members.encode("done", forKey: .type)
            try members.encodeIfPresent(id, forKey: .id)
            try members.encodeIfPresent(notice, forKey: .notice)
        case .error(let id, let line, let failure):
            try members.encode("error", forKey: .type)
            try members.encodeIfPresent(id, forKey: .id)
            try members.encodeIfPresent(line, forKey: .line)
            try members.encode(failure.category, forKey: .category)
            try members.encode(failure.message, forKey: .message)
        case .news(let message):
            try members.encode("news", forKey: .type)
            try members.encode(message, forKey: .message)
        case .end: try members.encode("end", forKey: .type)
        }
    }

    /// Returns the event as a line without its end, see `JSONEncoder.stateText`.
    func text() throws -> String {
        return try JSONEncoder.stateText(of: self)
    }
}

/// The first line of a session: the version of the protocol, and the screens with their verbs and schemas.
struct Greeting {
    /// The protocol's version. It is raised by changes that break a peer that ignores unknown members.
    static let `protocol` = 1
    /// The dialect of all schemas (JSON Schema, section 8.1.1).
    static let dialect = "https://json-schema.org/draft/2020-12/schema"

    /// The program's version.
    let version: String
    let screens: [Screen]

    @MainActor
    init(version: String, _ catalog: Catalog) {
        self.version = version
        screens = catalog.screens.map { Screen($0, catalog.stateSchema(of: $0.name) ?? .anyObject) }
    }

    /// The description of a screen.
    struct Screen: Encodable {
        let name: String
        let summary: String
        let state: StateSchema
        let verbs: [Verb]

        init(_ screen: ScreenDescription, _ state: StateSchema) {
            (name, summary) = (screen.name, screen.summary)
            self.state = state
            verbs = screen.verbs.map { Verb(name: $0.name, help: $0.help, answer: $0.answer, arguments: $0.schema) }
        }
    }

    /// The description of a verb.
    struct Verb: Encodable {
        let name: String
        let help: String
        let answer: VerbSignature.Answer
        let arguments: VerbSchema
    }
}
