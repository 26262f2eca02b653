import Backend
import CCurl
import Foundation
import Locking

/// Starts libcurl's thread with the first request, passes commands to it from any task, and wakes it.
final class CurlLoop: Sendable {
    private let connectionsPerHost: Int
    private let inbox = Locked(Inbox())

    /// A command for the thread.
    enum Command {
        case begin(Transfer)
        case cancel(Transfer.ID)
        case resume(Transfer.ID)
    }

    private struct Inbox: Sendable {
        var commands: [Command] = []
        var isClosing = false
        /// The handle of the running thread; nil before it starts and after it has ended.
        ///
        /// `nonisolated(unsafe)`: it is set, and freed together with being set to nil, under the lock of `inbox`. Threads
        /// other than the running one use it only under this lock, for curl_multi_wakeup(3), which is thread-safe.
        nonisolated(unsafe) var multi: UnsafeMutableRawPointer?
        var closers: [CheckedContinuation<Void, Never>] = []

        func wake() {
            // Fails only without a wake-up pipe; the thread then reads its inbox after `Worker.longestWait` at the
            // latest.
            if let multi { _ = ccurl_multi_wakeup(multi) }
        }
    }

    init(connectionsPerHost: Int) { self.connectionsPerHost = connectionsPerHost }

    func begin(_ transfer: Transfer) {
        // One lock for the check and the append: after `isClosing` is set, the thread may not read the inbox again.
        let obstacle: TransportError? = inbox.withLock { inbox in
            if inbox.isClosing { return TransportError(.cancelled, detail: "the transport is shut down") }
            guard startIfNeeded(&inbox) else { return TransportError(.unavailable, detail: CurlLibrary.obstacle) }
            inbox.commands.append(.begin(transfer))
            inbox.wake()
            return nil
        }
        if let obstacle { transfer.receiver.finish(obstacle) }
    }

    func cancel(_ id: Transfer.ID) { post(.cancel(id)) }

    func resume(_ id: Transfer.ID) { post(.resume(id)) }

    private func post(_ command: Command) {
        inbox.withLock { inbox in
            // Without a thread, no exchange is running: there is nothing to cancel or resume.
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

    /// Asks the thread to end, and returns when it has ended.
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
        guard CurlLibrary.isReady, let multi = ccurl_multi_init() else { return false }
        inbox.multi = multi
        // The thread keeps the loop alive; the transport's `deinit` ends it.
        let thread = Thread { [self] in run() }
        thread.name = "http"
        thread.start()
        return true
    }

    /// The body of the thread.
    private func run() {
        // With CURLOPT_NOSIGNAL, libcurl doesn't ignore SIGPIPE: a write to a connection that the server has closed
        // would end the process.
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
            // Before the check of `isClosing`: a request that is begun here is ended by `abandon`, so each receiver is
            // called.
            for command in commands { worker.perform(command) }
            if isClosing { break }
            worker.advance()
            worker.wait()
        }
        worker.abandon()
        let closers = inbox.withLock { inbox in
            // Under the lock: `wake` must not use a handle that is already freed.
            worker.cleanUp()
            inbox.multi = nil
            defer { inbox.closers = [] }
            return inbox.closers
        }
        for closer in closers { closer.resume() }
    }
}

/// The global state of libcurl.
private enum CurlLibrary {
    /// Whether libcurl can be used. It is initialised with the first request of the process, which takes milliseconds.
    static let isReady = ccurl_global_init() == CURLE_OK
    /// Why it can't be used.
    static let obstacle =
        ccurl_library() == nil
        ? "\(CCURL_FILE) can't be loaded. Install libcurl (Debian and Ubuntu: `apt install libcurl4`)"
        : "libcurl can't be initialised"
}
