internal import Foundation

/// An event of the server's event stream (SyncAPI.docc/Protocol.md, "Live").
public enum ServerEvent: Sendable, Equatable {
    /// A space has changed.
    case changes(ChangesEvent)
    /// How long to wait before connecting again when the stream ends.
    case retry(Duration)
}

/// Something was committed in a space.
public struct ChangesEvent: Sendable, Equatable {
    /// The space's id.
    public var space: String
    /// Where the space stands after the commit; whoever holds this cursor has seen it.
    public var cursor: String
    /// What to go on from after a broken stream; empty: the server gives none.
    public var id: String

    /// An event of these parts.
    public init(space: String, cursor: String, id: String = "") {
        (self.space, self.cursor, self.id) = (space, cursor, id)
    }
}

extension ServerEvent {
    /// What an item of the stream means; nil: an event of a type that this client doesn't know.
    ///
    /// - Throws: `BackendError.malformedAnswer`.
    init?(_ item: EventStreamParser.Item) throws(BackendError) {
        switch item {
        case .retry(let wait): self = .retry(wait)
        case .event("changes", let data, let id):
            let body: Body
            do { body = try JSONDecoder().decode(Body.self, from: Data(data.utf8)) } catch {
                throw .malformedAnswer("an event of changes: \(error)")
            }
            self = .changes(ChangesEvent(space: body.space, cursor: body.cursor, id: id))
        case .event: return nil
        }
    }

    /// The data of `event: changes`.
    private struct Body: Decodable {
        var space: String
        var cursor: String
    }
}
