import Dispatch
import Foundation
import Synchronization

/// A pipe within the process, with which one thread or a signal handler wakes another thread. Neither end blocks.
struct WakePipe: Sendable {
    /// The descriptor that becomes readable after a wake-up.
    let readable: Int32
    /// The descriptor to write to for a wake-up.
    let writable: Int32

    /// Creates a pipe; nil: the process can't open another one.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        (readable, writable) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    func close() {
        Foundation.close(readable)
        Foundation.close(writable)
    }

    /// Wakes the reader.
    func wake(with byte: UInt8 = 0) {
        var byte = byte
        // The result is ignored: a full pipe is readable, too.
        _ = write(writable, &byte, 1)
    }

    /// Removes and returns the written bytes.
    func drained() -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 256)
        while true {
            let count = read(readable, &chunk, chunk.count)
            guard count > 0 else { return bytes }
            bytes += chunk[..<count]
        }
    }
}

/// The signals of a terminal: Ctrl-C (SIGINT) and a new size (SIGWINCH). After the first use, SIGINT no longer ends the
/// process; both are passed to the handler.
///
/// Signal handlers may do very little (signal-safety(7)): ours write the signal's number to a pipe for a dispatch
/// source. `@unchecked Sendable`: `source` never changes and isn't used after `init`, only retained. `pipe` is atomic.
final class TerminalSignals: @unchecked Sendable {
    /// The descriptor that the handlers write to; -1: none. It is static, because handlers are per process.
    private static let pipe = Atomic<Int32>(-1)

    private let source: any DispatchSourceRead

    /// Starts to listen; nil: the process can't open another pipe.
    ///
    /// - Parameter handler: Called with each signal, on a thread of its own.
    init?(_ handler: @escaping @Sendable (Int32) -> Void) {
        guard let pipe = WakePipe() else { return nil }
        source = DispatchSource.makeReadSource(
            fileDescriptor: pipe.readable, queue: DispatchQueue(label: "terminal.signals"))
        source.setEventHandler { for signal in pipe.drained() { handler(Int32(signal)) } }
        source.activate()
        Self.pipe.store(pipe.writable, ordering: .sequentiallyConsistent)
        for number in [SIGINT, SIGWINCH] {
            var action = sigaction()
            action.__sigaction_handler.sa_handler = { signal in
                // The interrupted code may be about to read `errno`.
                let before = errno
                var number = UInt8(truncatingIfNeeded: signal)
                _ = write(TerminalSignals.pipe.load(ordering: .sequentiallyConsistent), &number, 1)
                errno = before
            }
            action.sa_flags = SA_RESTART
            sigaction(number, &action, nil)
        }
    }
}
