import Backend
import CCurl
import Foundation

/// The connection to libcurl's thread: accepts orders from any task, and wakes the thread, which it starts with the first one.
final class CurlLoop: Sendable {
    private let connectionsPerHost: Int
    private let inbox = Locked(Inbox())

    /// A command for the thread.
    enum Command {
        case begin(Order)
        case cancel(Order.ID)
        case resume(Order.ID)
    }

    private struct Inbox: Sendable {
        var commands: [Command] = []
        var isClosing = false
        /// Nil before the thread starts and after it has ended; nothing else may wake it then. Other threads only call
        /// curl_multi_wakeup(3) with it, which any thread may.
        nonisolated(unsafe) var multi: UnsafeMutableRawPointer?
        var closers: [CheckedContinuation<Void, Never>] = []

        func wake() {
            // The only failure is a missing wake-up pipe; then the thread looks by itself (`Worker.longestWait`).
            if let multi { _ = curl_multi_wakeup(multi) }
        }
    }

    init(connectionsPerHost: Int) { self.connectionsPerHost = connectionsPerHost }

    func begin(_ order: Order) {
        let isTaken = inbox.withLock { inbox in
            guard !inbox.isClosing, startIfNeeded(&inbox) else { return false }
            inbox.commands.append(.begin(order))
            inbox.wake()
            return true
        }
        if !isTaken { order.receiver.finish(TransportError(.cancelled, detail: "the transport is shut down")) }
    }

    func cancel(_ id: Order.ID) { post(.cancel(id)) }

    func resume(_ id: Order.ID) { post(.resume(id)) }

    private func post(_ command: Command) {
        inbox.withLock { inbox in
            guard inbox.multi != nil else { return }
            inbox.commands.append(command)
            inbox.wake()
        }
    }
}

// MARK: - Start and end

extension CurlLoop {
    /// Asks the thread to end.
    func close() {
        inbox.withLock { inbox in
            inbox.isClosing = true
            inbox.wake()
        }
    }

    /// Asks the thread to end and waits until it has.
    func closed() async {
        await withCheckedContinuation { closer in
            let hasEnded = inbox.withLock { inbox in
                inbox.isClosing = true
                inbox.wake()
                if inbox.multi != nil { inbox.closers.append(closer) }
                return inbox.multi == nil
            }
            if hasEnded { closer.resume() }
        }
    }

    private func startIfNeeded(_ inbox: inout Inbox) -> Bool {
        if inbox.multi != nil { return true }
        guard CurlLibrary.isReady, let multi = curl_multi_init() else { return false }
        inbox.multi = multi
        let thread = Thread { [self] in run() }
        thread.name = "http"
        thread.start()
        return true
    }

    /// The thread.
    private func run() {
        // A write to a connection that the server has closed is an error of that write, not the process's end.
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, nil)
        guard let multi = inbox.withLock(\.multi) else { return }
        let worker = Worker(multi: multi, connectionsPerHost: connectionsPerHost)
        while true {
            let (commands, isClosing) = inbox.withLock { inbox in
                defer { inbox.commands = [] }
                return (inbox.commands, inbox.isClosing)
            }
            for command in commands { worker.obey(command) }
            if isClosing { break }
            worker.advance()
            worker.wait()
        }
        worker.abandon()
        let closers = inbox.withLock { inbox in
            // Under the lock, so that no other thread wakes a handle that no longer exists.
            worker.cleanUp()
            inbox.multi = nil
            defer { inbox.closers = [] }
            return inbox.closers
        }
        for closer in closers { closer.resume() }
    }
}

/// libcurl as a whole.
private enum CurlLibrary {
    /// Set up with the first request of the process, since it takes milliseconds; false: libcurl can't be used.
    static let isReady = ccurl_global_init() == CURLE_OK
}
