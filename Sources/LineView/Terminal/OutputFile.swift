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
    /// - Throws: `Failure` when nobody reads any more, or the disk is full.
    func write(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw Failure(.failed, "The output can't be written: \(String(cString: strerror(errno))).")
            }
            rest = rest.dropFirst(count)
        }
    }
}
