import Foundation

/// What is known of a line that is read without editing, by the terminal itself: its prompt, which is shown again below
/// what is written meanwhile.
///
/// `@unchecked Sendable`: `prompt` is touched only while `lock` is held.
final class PlainReading: @unchecked Sendable {
    private let lock = NSLock()
    private var prompt: String?

    /// From now on a line is read, nil: none any more.
    func set(_ prompt: String?) { lock.withLock { self.prompt = prompt } }

    /// A text as it is to be written now.
    func written(_ text: String) -> String { lock.withLock { prompt.map { "\n" + text + $0 } ?? text } }

    /// What shows an interrupted person that the line begins anew.
    var again: String? { lock.withLock { prompt.map { "\n" + $0 } } }
}
