internal import Logging
internal import SyncAPI

/// Live events about changes in the spaces of an account (SyncAPI.docc/Protocol.md, "Live").
struct EventService: Sendable {
    let store: any ServerStore
    let environment: ServerEnvironment
    let sessions: SessionService
    let hub: EventHub
    let logger: Logger

    /// How often a silent stream shows that it is alive, and checks whether its session is still valid.
    static let heartbeatInterval: Duration = .seconds(20)
    /// A comment, which readers pass over.
    static let heartbeat = ":\n\n"
    /// What a stream begins with: how long a reader that loses it should wait, in milliseconds.
    static let opening = "retry: 2000\n\n"

    /// A stream for the caller, for as long as its session lives.
    ///
    /// - Throws: `Problem` 429, 503.
    func open(_ caller: Caller, from address: String, lastEventID: String?) throws -> BodyStream {
        let listening = try hub.listen(account: caller.account, address: address)
        return EventStream(self, caller, listening, lastEventID: lastEventID).body
    }

    /// What the caller may hear of now; nil if its session has ended, or the storage doesn't answer: then its reader
    /// comes again.
    func snapshot(_ caller: Caller) async -> EventSnapshot? {
        do {
            guard let snapshot = try await read(caller) else { return nil }
            // No stream was notified of commits between the read and the first subscription to a space.
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
