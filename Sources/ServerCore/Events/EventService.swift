internal import Crypto
internal import Logging
internal import NIOConcurrencyHelpers
internal import SyncAPI

/// Live events about changes in the spaces of an account (SyncAPI.docc/Protocol.md, "Live").
struct EventService: Sendable {
    let store: any ServerStore
    let environment: ServerEnvironment
    let sessions: SessionService
    let hub: EventHub
    /// The limits of accounts that have none of their own.
    let quota: QuotaRules
    let logger: Logger
    /// The texts of the last events, which streams share.
    let sent = SentEvents()

    /// Time between two checks whether the session of a stream is still valid. If there is no event to send then, a
    /// heartbeat is sent.
    static let heartbeatInterval: Duration = .seconds(20)
    /// A comment, which readers ignore.
    static let heartbeat = ":\n\n"
    /// The beginning of a stream: the time that a disconnected reader waits before it connects again, in milliseconds.
    static let opening = "retry: 2000\n\n"

    /// Returns a stream for the caller, which lasts as long as the caller's session.
    ///
    /// - Throws: `Problem` 403 if the account has as many streams as it may have, 503.
    func open(_ caller: Caller, from address: String, lastEventID: String?) async throws -> BodyStream {
        let own = try await store.lookUp { tx in try Access.found(try tx.account(id: caller.account)).quota }
        let listening = try hub.listen(account: caller.account, address: address, limit: quota.with(own).streams)
        return EventStream(self, caller, listening, lastEventID: lastEventID).body
    }

    /// Returns the present versions of the caller's spaces; nil if its session has ended or the storage fails. Then the
    /// stream ends, and its reader connects again.
    func snapshot(_ caller: Caller) async -> EventSnapshot? {
        do {
            guard let snapshot = try await read(caller) else { return nil }
            // Commits between the read and the first subscription to a space notified no stream.
            let mayHaveMissed = hub.follow(snapshot.versions.keys, account: caller.account)
            return mayHaveMissed ? try await read(caller) : snapshot
        } catch {
            logger.error("an event stream failed", metadata: ["error": "\(String(reflecting: error))"])
            return nil
        }
    }

    private func read(_ caller: Caller) async throws -> EventSnapshot? {
        try await store.lookUp { [now = environment.now()] tx in
            guard let session = try tx.session(id: caller.session), sessions.rules.lives(session, now: now),
                try tx.account(id: caller.account)?.disabledAt == nil
            else { return nil }
            var versions: [String: Int64] = [:]
            for membership in try tx.memberships(of: caller.account) {
                versions[membership.space] = try tx.space(membership.space)?.version
            }
            return EventSnapshot(epoch: try tx.epoch(), versions: versions)
        }
    }
}

/// The stream of events of one reader. It waits for a notification, then sends what is new for its reader.
///
/// However much is written in the meantime, a reader receives each space once, with its newest cursor.
final class EventStream: Sendable {
    private let service: EventService
    private let caller: Caller
    private let listening: EventHub.Listening
    /// The reader's state; used only by the one task that requests pieces.
    private let known: NIOLockedValueBox<Known>
    /// Notifies the stream of each heartbeat.
    private let heart: Task<Void, Never>

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
        let (wakeup, sleep) = (listening.wakeup, service.environment.sleep)
        heart = Task(executorPreference: service.environment.executor) {
            // The sleep fails only when it is cancelled, with the stream.
            while (try? await sleep(EventService.heartbeatInterval)) != nil { wakeup.notify(of: .heartbeat) }
        }
        // The first snapshot is new for the reader.
        wakeup.notify(of: .recheck)
    }

    deinit { heart.cancel() }

    var body: BodyStream {
        BodyStream(next: { await self.next() }, end: { [wakeup = listening.wakeup] in wakeup.end() })
    }

    /// Returns the next piece; nil when the session has ended, the server stops, or the task is cancelled.
    private func next() async -> [UInt8]? {
        while let news = await listening.wakeup.next() {
            guard let snapshot = await snapshot(after: news), !listening.wakeup.isOver, !Task.isCancelled else {
                return nil
            }
            let text = text(of: snapshot)
            if !text.isEmpty { return Array(text.utf8) }
            if news.contains(.heartbeat) { return Array(EventService.heartbeat.utf8) }
        }
        return nil
    }

    /// Returns the present versions of the reader's spaces; nil if its session has ended.
    private func snapshot(after news: Wakeup.News) async -> EventSnapshot? {
        // A commit ends no session and changes no membership, so the database isn't read for it.
        if news == .commit, var snapshot = known.withLockedValue(\.snapshot) {
            for (space, version) in service.hub.committedVersions(of: snapshot.versions.keys) {
                snapshot.versions[space] = max(snapshot.versions[space] ?? 0, version)
            }
            return snapshot
        }
        return await onStackOfItsOwn { [service, caller] in await service.snapshot(caller) }
    }

    /// Returns the events of a snapshot that are new for the reader, as text.
    private func text(of snapshot: EventSnapshot) -> String {
        known.withLockedValue { known in
            defer { (known.snapshot, known.lastEventID, known.isOpened) = (snapshot, nil, true) }
            guard !known.isOpened else {
                return service.sent.text(of: snapshot, since: known.snapshot, for: caller.account)
            }
            if known.lastEventID == snapshot.id { known.snapshot = snapshot }
            return EventService.opening + snapshot.text(since: known.snapshot)
        }
    }
}

/// Runs an operation in a child task, which frees its memory at its end. The stack of a task that waits for long, as
/// that of a stream, keeps the size of its deepest call.
func onStackOfItsOwn<Value: Sendable>(
    executor: (any TaskExecutor)? = nil, _ operation: @escaping @Sendable () async -> Value
) async -> Value {
    await withTaskGroup(of: Value.self) { group in
        group.addTask(executorPreference: executor, operation: operation)
        for await value in group { return value }
        // Never reached, since a group without errors returns the value of its task.
        return await operation()
    }
}

/// The versions of an account's spaces at one moment, of which a stream sends the new ones. A pure value.
struct EventSnapshot: Sendable, Equatable {
    /// The database's epoch.
    var epoch: String
    /// The version of each space, by its id.
    var versions: [String: Int64]

    /// Returns the events for a reader that knows `known`, in order of the spaces' ids; nil for a reader that knows
    /// nothing.
    func events(since known: EventSnapshot?) -> [ChangeEvent] {
        // The state after each event, so that the event's id represents what its reader knows then.
        var reported = EventSnapshot(epoch: epoch, versions: [:])
        // Versions of another epoch can't be compared. A space that the account has left isn't part of the id any more.
        if let known, known.epoch == epoch { reported.versions = known.versions.filter { versions[$0.key] != nil } }
        var events: [ChangeEvent] = []
        for (space, version) in versions.sorted(by: { $0.key < $1.key }) where reported.versions[space] != version {
            reported.versions[space] = version
            events.append(
                ChangeEvent(space: space, cursor: Cursor(epoch: epoch, position: version).text, id: reported.id))
        }
        return events
    }

    /// Returns the events for a reader that knows `known`, as it receives them; empty if there are none.
    func text(since known: EventSnapshot?) -> String { events(since: known).map(\.text).joined() }

    /// Identifies all versions in a constant size: a reader that names it has missed nothing.
    var id: String {
        let text = versions.sorted { $0.key < $1.key }.reduce(into: epoch) { $0 += "\n\($1.key) \($1.value)" }
        return Base64URL.encode(SHA256.hash(data: Array(text.utf8)).prefix(16))
    }
}
