internal import Locking
public import SyncAPI

/// An event of the server's event stream (SyncAPI.docc/Protocol.md, "Live"). New cases may be added.
public enum ServerEvent: Sendable, Equatable {
    /// A space has changed.
    case changes(ChangeEvent)
    /// The time to wait before connecting again when the stream ends.
    case retry(Duration)
}

extension ServerEvent {
    /// Creates an event from an item of the stream; nil: this client doesn't know the type of the event.
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

extension BackendClient {
    /// The time without a byte after which a stream of events counts as dead; the server sends a heartbeat every 20 s.
    public static let eventSilence = Duration.seconds(60)

    /// Returns the changes from now on, in all spaces of the account: `GET /v1/events`. Returns when the server has
    /// accepted the request.
    ///
    /// The stream ends when the server ends it, and with a `BackendError` when it breaks or is silent for `silence`.
    /// Cancelling the reading task or dropping the stream closes it. It is never opened again here.
    ///
    /// - Parameters:
    ///   - lastEventID: The id of the last event received; later events are sent again (HTML 9.2.4, `Last-Event-ID`).
    ///   - silence: The time without a byte after which the stream counts as dead.
    /// - Throws: The errors of any call; `.problem` with status 404 if the server has no events.
    public func events(
        after lastEventID: String? = nil, silence: Duration = BackendClient.eventSilence
    ) async throws(BackendError) -> AsyncThrowingStream<ServerEvent, any Error> {
        var call = Call(endpoint: AuthenticatedRoute.events, accept: Self.eventStream, timeout: silence, silence: nil)
        if let lastEventID, !lastEventID.isEmpty { call.headers.append(("Last-Event-ID", lastEventID)) }
        let stream = try await stream(call)
        let type = stream.head.header("Content-Type") ?? "no media type"
        guard type.lowercased().hasPrefix(Self.eventStream) else {
            throw .malformedAnswer("status \(stream.head.status) with \(type) instead of events")
        }
        let reader = EventReader(stream.body, lastEventID: lastEventID ?? "")
        return AsyncThrowingStream { try await reader.next() }
    }

    private static let eventStream = "text/event-stream"
}

/// The reader of events from the pieces of a body, which it reads on demand, for one caller at a time.
private final class EventReader: Sendable {
    private let body: AsyncThrowingStream<[UInt8], any Error>
    private let state: Locked<State>

    private struct State {
        var parser: EventStreamParser
        /// The events that were read and not yet returned; the next one is the last.
        var waiting: [ServerEvent] = []

        mutating func receive(_ piece: [UInt8]) throws(BackendError) {
            let items: [EventStreamParser.Item]
            do { items = try parser.items(completedBy: piece) } catch {
                throw .malformedAnswer("an event of more than \(parser.limit) bytes")
            }
            for item in items { if let event = try ServerEvent(item) { waiting.insert(event, at: 0) } }
        }
    }

    init(_ body: AsyncThrowingStream<[UInt8], any Error>, lastEventID: String) {
        self.body = body
        state = Locked(State(parser: EventStreamParser(lastEventID: lastEventID)))
    }

    func next() async throws(BackendError) -> ServerEvent? {
        while true {
            if let event = state.withLock({ $0.waiting.popLast() }) { return event }
            guard let piece = try await nextPiece() else { return nil }
            // As a result, since `withLock` rethrows without the type of the error.
            let result = state.withLock { state in
                Result { () throws(BackendError) in try state.receive(piece) }
            }
            try result.get()
        }
    }

    /// Returns the next piece. A new iterator of the stream continues where the former one has stopped.
    private func nextPiece() async throws(BackendError) -> [UInt8]? {
        var pieces = body.makeAsyncIterator()
        do { return try await pieces.next() } catch { throw BackendError(stream: error) }
    }
}
