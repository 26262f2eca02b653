import Foundation

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
