internal import Crypto
internal import Logging
internal import NIOConcurrencyHelpers
internal import SyncAPI

/// One reader's stream of events: waits for a notification, then reads what is new for its reader.
///
/// However much is written in the meantime, a reader receives each space once, with its newest cursor.
final class EventStream: Sendable {
    private let service: EventService
    private let caller: Caller
    private let listening: EventHub.Listening
    /// What the reader knows; touched by the one task that asks for pieces.
    private let known: NIOLockedValueBox<Known>

    private struct Known {
        var snapshot: EventSnapshot?
        /// The reader's `Last-Event-ID`, until it was compared.
        var lastEventID: String?
        var isOpened = false
    }

    init(_ service: EventService, _ caller: Caller, _ listening: EventHub.Listening, lastEventID: String?) {
        self.service = service
        self.caller = caller
        self.listening = listening
        known = NIOLockedValueBox(Known(lastEventID: lastEventID))
        // What there is at the beginning is news, too.
        listening.wakeup.notify()
    }

    var body: BodyStream {
        BodyStream(next: { await self.next() }, end: { [wakeup = listening.wakeup] in wakeup.end() })
    }

    /// The next piece; nil when the session has ended, the server stops, or the task is cancelled.
    private func next() async -> [UInt8]? {
        while !listening.wakeup.isOver, !Task.isCancelled {
            let isHeartbeat = await waitForNews()
            guard !listening.wakeup.isOver, !Task.isCancelled, let snapshot = await service.snapshot(caller) else {
                return nil
            }
            let text = text(of: snapshot)
            if !text.isEmpty { return Array(text.utf8) }
            if isHeartbeat { return Array(EventService.heartbeat.utf8) }
        }
        return nil
    }

    /// Waits until there may be news; true if a heartbeat is due instead.
    private func waitForNews() async -> Bool {
        let (wakeup, sleep) = (listening.wakeup, service.environment.sleep)
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await wakeup.wait() }
            group.addTask { try? await sleep(EventService.heartbeatInterval) }
            await group.next()
            group.cancelAll()
        }
        return !wakeup.consume()
    }

    /// What of a snapshot is new for the reader.
    private func text(of snapshot: EventSnapshot) -> String {
        known.withLockedValue { known in
            let isOpening = !known.isOpened
            if isOpening, known.lastEventID == snapshot.id { known.snapshot = snapshot }
            let events = snapshot.events(since: known.snapshot)
            known = Known(snapshot: snapshot, isOpened: true)
            return (isOpening ? EventService.opening : "") + events.map(\.text).joined()
        }
    }
}

/// The versions of an account's spaces at one moment, of which a stream sends the new ones; a pure value.
struct EventSnapshot: Sendable, Equatable {
    /// The database's epoch.
    var epoch: String
    /// The version of each space, by its id.
    var versions: [String: Int64]

    /// The events for a reader that knows `known`; nil: one that knows nothing. In order of the spaces' ids.
    func events(since known: EventSnapshot?) -> [ChangeEvent] {
        // The state after each event, so that its id represents what its reader knows then.
        var reported = EventSnapshot(epoch: epoch, versions: [:])
        if let known, known.epoch == epoch { reported.versions = known.versions.filter { versions[$0.key] != nil } }
        var events: [ChangeEvent] = []
        for (space, version) in versions.sorted(by: { $0.key < $1.key }) where reported.versions[space] != version {
            reported.versions[space] = version
            events.append(
                ChangeEvent(space: space, cursor: Cursor(epoch: epoch, position: version).text, id: reported.id))
        }
        return events
    }

    /// Represents all versions in a constant size: a reader that names it has missed nothing.
    var id: String {
        let text = versions.sorted { $0.key < $1.key }.reduce(into: epoch) { $0 += "\n\($1.key) \($1.value)" }
        return Base64URL.encode(SHA256.hash(data: Array(text.utf8)).prefix(16))
    }
}
