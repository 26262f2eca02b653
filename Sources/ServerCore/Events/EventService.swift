internal import Logging
internal import SyncAPI

/// Live events about changes in the spaces of an account (SyncAPI.docc/Protocol.md, "Live").
struct EventService: Sendable {
    let store: any ServerStore
    let environment: ServerEnvironment
    let sessions: SessionService
    let hub: EventHub
    let logger: Logger

    /// Time without events after which a stream sends a heartbeat and checks whether its session is still valid.
    static let heartbeatInterval: Duration = .seconds(20)
    /// A comment, which readers ignore.
    static let heartbeat = ":\n\n"
    /// The beginning of a stream: the time that a disconnected reader waits before it connects again, in milliseconds.
    static let opening = "retry: 2000\n\n"

    /// Returns a stream for the caller, which lasts as long as the caller's session.
    ///
    /// - Throws: `Problem` 429, 503.
    func open(_ caller: Caller, from address: String, lastEventID: String?) throws -> BodyStream {
        let listening = try hub.listen(account: caller.account, address: address)
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
        try await store.read { [now = environment.now()] tx in
            guard let session = try tx.session(id: caller.session), sessions.lives(session, now: now) else {
                return nil
            }
            var versions: [String: Int64] = [:]
            for membership in try tx.memberships(of: caller.account) {
                versions[membership.space] = try tx.space(membership.space)?.version
            }
            return EventSnapshot(epoch: try tx.epoch(), versions: versions)
        }
    }
}
