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
