internal import HummingbirdCore
internal import Logging
internal import NIOConcurrencyHelpers
internal import NIOCore
internal import SyncAPI

/// The server's open connections. Safe to use from any thread.
final class Connections: Sendable {
    private let roster: NIOLockedValueBox<Members>
    private let total: Int
    private let trustedProxies: Set<IPAddress>
    /// The headers of every answer.
    let answerHeaders: [(name: String, value: String)]
    private let logger: Logger
    /// Called with 1 for each connection that was accepted, and with -1 when it is closed.
    private let changed: @Sendable (_ change: Int) -> Void

    private struct Members {
        var roster: ConnectionRoster
        var channels: [ConnectionRoster.ID: any Channel] = [:]
        /// Number of connections that were accepted and are not closed, set up or not.
        var accepted = 0
        var isFullReported = false
    }

    init(
        total: Int, perAddress: Int, trustedProxies: Set<IPAddress>, isSecure: Bool = false, logger: Logger,
        changed: @escaping @Sendable (_ change: Int) -> Void = { _ in }
    ) {
        self.total = total
        self.trustedProxies = trustedProxies
        answerHeaders = ServerAnswer.commonHeaders(isSecure: isSecure)
        self.logger = logger
        self.changed = changed
        roster = NIOLockedValueBox(Members(roster: ConnectionRoster(total: total, perAddress: perAddress)))
    }

    /// Number of open connections.
    var count: Int { roster.withLockedValue { $0.roster.count } }

    /// Adds a new connection or a new stream of HTTP/2, and closes others if room is needed.
    ///
    /// - Returns: False if the new connection must be closed, or the stream refused.
    func add(_ channel: any Channel, isStream: Bool = false) -> Bool {
        let subscriber = subscriber(of: channel)
        let now = channel.eventLoop.now
        let (isAdmitted, closing) = roster.withLockedValue { members in
            let admission = members.roster.add(
                ObjectIdentifier(channel), subscriber: subscriber, isStream: isStream, now: now)
            if admission.isAdmitted { members.channels[ObjectIdentifier(channel)] = channel }
            return (admission.isAdmitted, admission.closing.compactMap { members.channels[$0] })
        }
        for channel in closing { channel.triggerUserOutboundEvent(ConnectionGuard.CloseNow(), promise: nil) }
        return isAdmitted
    }

    func remove(_ channel: any Channel) {
        roster.withLockedValue { members in
            members.roster.remove(ObjectIdentifier(channel))
            members.channels[ObjectIdentifier(channel)] = nil
        }
    }

    /// Records a connection's use.
    ///
    /// - Returns: Whether the server is so full that no connection is kept open without a request.
    func report(_ use: ConnectionState.Use, of channel: any Channel) -> Bool {
        let now = channel.eventLoop.now
        return roster.withLockedValue { members in
            members.roster.use(use, of: ObjectIdentifier(channel), now: now)
            return members.roster.isCrowded
        }
    }

    /// Records that a request of the connection had a valid access token. A stream's connection is signed in with it.
    func signedIn(_ id: ConnectionRoster.ID) {
        roster.withLockedValue { members in
            members.roster.signedIn(id)
            // Of a connection, the parent is the listening socket, which the roster doesn't contain.
            if let parent = members.channels[id]?.parent { members.roster.signedIn(ObjectIdentifier(parent)) }
        }
    }

    /// Closes a connection in any state.
    func close(_ id: ConnectionRoster.ID) {
        let channel = roster.withLockedValue { $0.channels[id] }
        channel?.triggerUserOutboundEvent(ConnectionGuard.CloseNow(), promise: nil)
    }

    /// Closes all connections, in any state.
    func closeAll() {
        let channels = roster.withLockedValue { Array($0.channels.values) }
        if !channels.isEmpty {
            logger.notice("closed connections that were still busy", metadata: ["count": "\(channels.count)"])
        }
        for channel in channels { channel.triggerUserOutboundEvent(ConnectionGuard.CloseNow(), promise: nil) }
    }

    /// Returns the key under which connections are counted together; nil if many clients share the address.
    private func subscriber(of channel: any Channel) -> String? {
        guard let address = channel.remoteAddress?.ipAddress.flatMap(IPAddress.init), !address.isLoopback,
            !trustedProxies.contains(address)
        else { return nil }
        return address.subscriber
    }

    // MARK: Accepting

    /// Makes Hummingbird accept no connection above the total; further ones wait in the system's queue. Otherwise
    /// `accept` would fail for lack of a descriptor, and NIO would call it again without a pause.
    struct Gate: AvailableConnectionsDelegate {
        fileprivate let connections: Connections

        func connectionOpened() { connections.accepted(1) }
        func connectionClosed() { connections.accepted(-1) }
        func isAcceptingNewConnections() -> Bool { connections.hasPlace }
    }

    var gate: Gate { Gate(connections: self) }

    private func accepted(_ change: Int) {
        roster.withLockedValue { $0.accepted += change }
        changed(change)
    }

    private var hasPlace: Bool {
        let (hasPlace, isNew) = roster.withLockedValue { members in
            let hasPlace = members.accepted < total
            defer { members.isFullReported = !hasPlace }
            return (hasPlace, !hasPlace && !members.isFullReported)
        }
        // Once for each time that the server becomes full, since Hummingbird asks before every `accept`.
        if isNew { logger.warning("all connections are in use; new ones wait", metadata: ["limit": "\(total)"]) }
        return hasPlace
    }
}
