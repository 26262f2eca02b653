internal import Foundation
internal import NIOConcurrencyHelpers
internal import ServerCore

/// Sends and receives news by LISTEN and NOTIFY, on a thread with a connection of its own.
///
/// News are sent after the commit and not within it: a transaction that notifies holds a lock of the whole cluster until
/// its commit is durable (PreCommit_Notify in async.c), so that no two could share an fsync. News that gather while a
/// notification is under way are sent together. If a process ends between its commit and the notification, event streams of
/// other processes notice the change at their next heartbeat.
final class NewsExchange: Sendable {
    private let target: ConnectionTarget
    private let lock: DatabaseLock
    private let fence: Fence
    private let channel: String
    private let pipe: WakePipe
    private let state = NIOLockedValueBox(State())

    private struct State {
        var pending = PendingNews()
        var receivers: [Int: @Sendable (StoreNews) -> Void] = [:]
        var lastID = 0
        var isStarted = false
        var isOver = false
    }

    /// Time between two checks of an idle connection.
    private static let check: Int32 = 15_000
    /// Times to wait before another attempt to connect, in milliseconds.
    private static let pauses: [Int32] = [50, 200, 500, 1_000, 2_000]

    init(_ target: ConnectionTarget, lock: DatabaseLock, fence: Fence, channel: String) {
        (self.target, self.lock, self.fence) = (target, lock, fence)
        self.channel = channel
        pipe = WakePipe()
    }

    deinit { end() }

    /// Sends news soon.
    func announce(_ news: StoreNews) {
        let isFirst = state.withLockedValue { state in
            defer { state.pending.add(news) }
            return state.pending.isEmpty
        }
        start()
        // If others wait already, the thread was woken for them.
        if isFirst { pipe.wake() }
    }

    /// Calls a function with the news of other processes until the returned object is released.
    func receive(_ receive: @escaping @Sendable (StoreNews) -> Void) -> any StoreNewsReceiving {
        let id = state.withLockedValue { state in
            state.lastID += 1
            state.receivers[state.lastID] = receive
            return state.lastID
        }
        start()
        return Receiving { [weak self] in self?.state.withLockedValue { $0.receivers[id] = nil } }
    }

    private final class Receiving: StoreNewsReceiving {
        private let end: @Sendable () -> Void

        init(end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }
    }

    /// Ends the thread, which sends what waits if it is connected.
    func end() {
        state.withLockedValue { $0.isOver = true }
        pipe.wake()
    }

    private func start() {
        let isFirst = state.withLockedValue { state in
            defer { state.isStarted = true }
            return !state.isStarted && !state.isOver
        }
        guard isFirst else { return }
        // The thread holds the exchange weakly, between two waits, so that it ends with it.
        let thread = Thread { [weak self, pipe] in
            var connection: PostgreSQLConnection?
            var failures = 0
            var isCheckDue = false
            while let wait = self?.turn(&connection, &failures, isCheckDue: isCheckDue) {
                isCheckDue = !pipe.wait(with: connection?.descriptor, milliseconds: wait)
            }
        }
        thread.name = "postgresql-news"
        thread.start()
    }

    /// Connects if necessary, sends and receives.
    ///
    /// - Returns: The time to wait in milliseconds; nil: the exchange is over.
    private func turn(
        _ connection: inout PostgreSQLConnection?, _ failures: inout Int, isCheckDue: Bool
    ) -> Int32? {
        var batch = PendingNews()
        do {
            let present = try connection ?? connected()
            connection = present
            failures = 0
            batch = state.withLockedValue { state in
                defer { state.pending = PendingNews() }
                return state.pending
            }
            for text in NewsText.texts(of: batch.all) {
                try present.execute("SELECT pg_notify($1, $2)", [.text(channel), .text(text)])
            }
            batch = PendingNews()
            if isCheckDue { try present.command("") }
            for notification in try present.notifications() where notification.sender != present.serverProcess {
                deliver(NewsText.news(of: notification.text))
            }
        } catch {
            connection = nil
            failures += 1
            // What wasn't sent is sent with the next connection.
            state.withLockedValue { state in for news in batch.all { state.pending.add(news) } }
        }
        let (isOver, isMore) = state.withLockedValue { ($0.isOver, !$0.pending.isEmpty) }
        if isOver { return nil }
        if connection == nil { return Self.pauses[min(failures, Self.pauses.count) - 1] }
        return isMore ? 0 : Self.check
    }

    private func connected() throws -> PostgreSQLConnection {
        let new = try PostgreSQLConnection(to: target)
        try lock.share(new)
        // An earlier primary has no news of the present one.
        try fence.refuseEarlier(new)
        // Without news, it is idle.
        try new.stayOpen()
        // Notifications needn't be durable, and wait for no standby.
        try new.command(#"SET synchronous_commit = off; LISTEN "\#(channel)""#)
        // Also the first time: others may have committed since their streams were opened.
        deliver([.anything])
        return new
    }

    private func deliver(_ news: [StoreNews]) {
        let receivers = state.withLockedValue { Array($0.receivers.values) }
        for receive in receivers { for piece in news { receive(piece) } }
    }
}

/// Wakes a thread that waits for a descriptor.
private final class WakePipe: Sendable {
    private let reading, writing: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        // Without the pipe, which fails only if no descriptor is left, news wait for the next check.
        if pipe(&ends) == 0 {
            for end in ends {
                _ = fcntl(end, F_SETFL, O_NONBLOCK)
                _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            }
        }
        (reading, writing) = (ends[0], ends[1])
    }

    deinit {
        close(reading)
        close(writing)
    }

    func wake() {
        var byte: UInt8 = 0
        // A full pipe wakes the thread, too.
        _ = write(writing, &byte, 1)
    }

    /// Waits until a descriptor can be read, `wake` was called, or the time is over.
    ///
    /// - Returns: False if the time is over.
    func wait(with descriptor: Int32?, milliseconds: Int32) -> Bool {
        // poll(2) ignores negative descriptors.
        var entries = [
            pollfd(fd: reading, events: Int16(POLLIN), revents: 0),
            pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&entries, 2, milliseconds)
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(reading, &bytes, bytes.count) > 0 {}
        return count != 0
    }
}
