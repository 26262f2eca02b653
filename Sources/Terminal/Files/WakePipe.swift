import Dispatch
import Foundation
import Synchronization

/// A pipe within the process, by which one thread or a signal's handler wakes another thread. Neither end blocks.
struct WakePipe: Sendable {
    /// Becomes readable on a wake-up.
    let readable: Int32
    /// What is written here wakes.
    let writable: Int32

    /// A pipe; nil where the process can't have another one.
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

    /// Wakes. A full pipe wakes as well as a fuller one.
    func wake(with byte: UInt8 = 0) {
        var byte = byte
        _ = write(writable, &byte, 1)
    }

    /// The bytes that were written since the last time.
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

/// The signals that a terminal sends: Ctrl-C (SIGINT) and a new size (SIGWINCH). From the first use on they no longer
/// end the process, but are passed to the handler.
///
/// A handler may do next to nothing (signal-safety(7)): it writes the signal's number into a pipe, which is read elsewhere.
/// `@unchecked Sendable`: `source` never changes, and is not used after `init`: it is only kept alive. `pipe` is atomic.
final class TerminalSignals: @unchecked Sendable {
    /// Where the handlers write; there is one for the process, as there is one set of handlers. -1: no one listens.
    private static let pipe = Atomic<Int32>(-1)

    private let source: any DispatchSourceRead

    /// Listens to the terminal's signals; nil where the process can't have another pipe.
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
