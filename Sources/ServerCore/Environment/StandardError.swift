internal import Foundation
internal import Synchronization

/// The standard error of this process, to which a server logs.
///
/// A text that can't be written, for example on a full disk, is lost: the server goes on without its log.
public enum StandardError {
    /// Writes a text in one call, so that the texts of several threads don't mix. Can be called on any thread.
    public static func write(_ text: String) {
        do {
            try FileHandle.standardError.write(contentsOf: Data(text.utf8))
        } catch {
            lost.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// Returns the number of texts that could not be written since the last call.
    static func drainLostTexts() -> Int { lost.exchange(0, ordering: .relaxed) }

    private static let lost = Atomic(0)
}
