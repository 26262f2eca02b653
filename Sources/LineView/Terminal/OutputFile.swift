import ControllerKit
import Foundation

/// A file that is written where nothing else runs: a reader may be slow, so the actor has a thread of its own.
actor OutputFile {
    private let descriptor: Int32
    private let executor = BlockingExecutor(label: "satchel.output")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Writes a text, all of it.
    ///
    /// - Throws: `ReaderGone` when nobody reads any more; `Failure` when the disk is full.
    func write(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EPIPE { throw ReaderGone() }
            guard count > 0 else {
                throw Failure(.failed, "The output can't be written: \(String(cString: strerror(errno))).")
            }
            rest = rest.dropFirst(count)
        }
    }
}

/// Nobody reads any more what is written, as behind `| head`. That is told by the status alone, as other tools do it: whoever
/// closed the pipe knows.
struct ReaderGone: Error, PersonFacing {
    var category: Failure.Category { .failed }
    var message: String { "" }
}
