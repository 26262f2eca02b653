public import SyncAPI

/// An event of the server's event stream (SyncAPI.docc/Protocol.md, "Live"). New cases may be added.
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

extension BackendClient {
    /// How long a stream of events may be silent before it counts as dead: the server's heartbeat comes every 20 s.
    public static let eventSilence = Duration.seconds(60)

    /// What changes from now on, in all spaces of the account: `GET /v1/events`. Returns when the server has accepted.
    ///
    /// The stream ends when the server ends it, and with a `BackendError` when it breaks or falls silent for `silence`;
    /// cancelling the reading task or dropping the stream closes it. It is never reopened here.
    ///
    /// - Parameters:
    ///   - lastEventID: the id of the last event received; later events are sent again (HTML 9.2.4, `Last-Event-ID`).
    ///   - silence: after how long without a byte the stream counts as dead.
    /// - Throws: as any call; `.problem` with status 404 where the server has no events.
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

/// Reads events from the pieces of a body, as they are asked for, by one reader at a time.
private final class EventReader: Sendable {
    private let body: AsyncThrowingStream<[UInt8], any Error>
    private let state: Locked<State>

    private struct State {
        var parser: EventStreamParser
        /// What was read and not asked for yet, the next one last.
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
            let result = state.withLock { state in
                Result { () throws(BackendError) in try state.receive(piece) }
            }
            try result.get()
        }
    }

    /// An iterator of such a stream is but a way to its end; each new one goes on where the last has stopped.
    private func nextPiece() async throws(BackendError) -> [UInt8]? {
        var pieces = body.makeAsyncIterator()
        do { return try await pieces.next() } catch { throw BackendError(stream: error) }
    }
}
