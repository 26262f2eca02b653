public import SyncAPI

/// An event of the server's event stream (SyncAPI.docc/Protocol.md, "Live").
public enum ServerEvent: Sendable, Equatable {
    /// A space has changed.
    case changes(ChangeEvent)
    /// How long to wait before connecting again when the stream ends.
    case retry(Duration)
}

extension ServerEvent {
    /// What an item of the stream means; nil: an event of a type that this client doesn't know.
    ///
    /// - Throws: `BackendError.malformedAnswer`.
    init?(_ item: EventStreamParser.Item) throws(BackendError) {
        switch item {
        case .retry(let wait): self = .retry(wait)
        case .event(ChangeEvent.type, let data, let id):
            do { self = .changes(try ChangeEvent(data: data, id: id)) } catch {
                throw .malformedAnswer("an event of changes: \(error.reason)")
            }
        case .event: return nil
        }
    }
}
