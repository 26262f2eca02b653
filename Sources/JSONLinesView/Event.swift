import ControllerKit
import Foundation

/// A line that goes out.
enum Event: Encodable {
    /// The first line: what can be said.
    case hello(Greeting)
    /// What a screen shows; the id is that of the request under way, if one is.
    case state(RequestID?, screen: String, any ScreenState)
    /// The one outcome of a request that succeeded.
    case done(RequestID?, notice: String?)
    /// The one outcome of a request that failed; or, without an id, an error of background work.
    case error(RequestID?, line: Int?, Failure)
    /// A message for the user that doesn't belong to a request.
    case news(String)
    /// The last line: the input has ended, and all that it asked for is done.
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

    /// The event as a line without its end: names sorted, times as RFC 3339 with milliseconds in UTC.
    func text() throws -> String {
        return try JSONEncoder.stateText(of: self)
    }
}

/// What a session says first: which protocol it talks, and what can be asked for.
struct Greeting {
    /// The protocol's version. It is raised when a peer that ignores what it doesn't know would be wrong.
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

    /// What is said of a screen.
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

    /// What is said of a verb.
    struct Verb: Encodable {
        let name: String
        let help: String
        let answer: VerbSignature.Answer
        let arguments: VerbSchema
    }
}
