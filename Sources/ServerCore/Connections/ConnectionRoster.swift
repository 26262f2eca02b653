internal import NIOCore

/// The server's open connections, and the choice of those to close when there are too many. A value without I/O.
///
/// Signed-in devices have priority over unauthenticated clients: room is made by closing unauthenticated connections
/// that wait for another request, then those whose first or next request is still arriving, then idle connections of
/// signed-in devices, the longest unused first. A request that is being answered and an event stream are never closed.
///
/// A stream of HTTP/2 counts as a connection: it costs as much memory. The connection that carries it counts for its
/// address only while it has no stream.
struct ConnectionRoster {
    typealias ID = ObjectIdentifier

    /// The decision on a new connection.
    struct Admission: Equatable {
        var isAdmitted: Bool
        /// The connections to close for it.
        var closing: [ID] = []
    }

    private struct Entry {
        let subscriber: String?
        var isSignedIn = false
        var isClosing = false
        var use = ConnectionState.Use.receiving
        var since: NIODeadline

        /// Whether it counts towards its subscriber's connections.
        var isCounted: Bool { !isClosing && use != .streaming }

        /// Its rank for closing, the lowest first; nil if it is never closed.
        var rank: Int? {
            guard !isClosing else { return nil }
            switch use {
            case .idle: return isSignedIn ? 2 : 0
            case .receiving: return isSignedIn ? nil : 1
            case .answering, .streaming: return nil
            }
        }
    }

    private let total: Int
    private let perAddress: Int
    private var entries: [ID: Entry] = [:]
    /// The connections of each subscriber, without event streams and those that are being closed.
    private var counts: [String: Int] = [:]

    /// Room is made before the limit is reached, and for several connections at once, so that the search is rare.
    private let step: Int

    init(total: Int, perAddress: Int) {
        self.total = total
        self.perAddress = perAddress
        step = max(1, total / 16)
    }

    var count: Int { entries.count }

    /// Whether so many connections are open that one is closed once its last answer is sent.
    var isCrowded: Bool { entries.count > total - step }

    /// - Parameters:
    ///   - subscriber: The key under which connections are counted together; nil: only the total limit applies.
    ///   - isStream: Whether it is a stream. The number of sockets is limited before they are accepted; that of streams
    ///     only here.
    mutating func add(_ id: ID, subscriber: String?, isStream: Bool = false, now: NIODeadline) -> Admission {
        var closing: [ID] = []
        if let subscriber, counts[subscriber, default: 0] >= perAddress {
            // A client at its limit closes a connection of its own, never another client's.
            closing = longestUnused(1) { $0.subscriber == subscriber }
            if closing.isEmpty { return Admission(isAdmitted: false) }
        }
        if entries.count >= total - step, closing.isEmpty { closing = longestUnused(step) { _ in true } }
        if isStream, closing.isEmpty, entries.count >= total { return Admission(isAdmitted: false) }
        // Marked at once: until they are closed, they count no more and are not chosen again.
        for id in closing { change(id) { $0.isClosing = true } }
        entries[id] = Entry(subscriber: subscriber, since: now)
        if let subscriber { counts[subscriber, default: 0] += 1 }
        return Admission(isAdmitted: true, closing: closing)
    }

    mutating func remove(_ id: ID) {
        // Subtracts it from its subscriber's count, before the entry is gone.
        change(id) { $0.isClosing = true }
        entries[id] = nil
    }

    /// Records that the connection authenticated a request with an access token.
    mutating func signedIn(_ id: ID) { change(id) { $0.isSignedIn = true } }

    mutating func use(_ use: ConnectionState.Use, of id: ID, now: NIODeadline) {
        change(id) { entry in
            entry.use = use
            entry.since = now
        }
    }

    private func longestUnused(_ count: Int, where condition: (Entry) -> Bool) -> [ID] {
        let candidates = entries.compactMap { id, entry in
            condition(entry) ? entry.rank.map { (id: id, rank: $0, since: entry.since) } : nil
        }
        return candidates.sorted { ($0.rank, $0.since) < ($1.rank, $1.since) }.prefix(count).map(\.id)
    }

    /// Changes an entry and updates `counts`.
    private mutating func change(_ id: ID, _ change: (inout Entry) -> Void) {
        guard let before = entries[id] else { return }
        var after = before
        change(&after)
        entries[id] = after
        guard let subscriber = after.subscriber, before.isCounted != after.isCounted else { return }
        let count = counts[subscriber, default: 0] + (after.isCounted ? 1 : -1)
        counts[subscriber] = count > 0 ? count : nil
    }
}
