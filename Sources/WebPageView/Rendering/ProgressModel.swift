internal import ControllerKit

/// A long work as the template `progress` shows it.
struct ProgressModel {
    /// What is being done, and how much of it, in words.
    let label: String
    let done: Int
    let total: Int
    /// Whether the total is known.
    let hasTotal: Bool

    init(_ progress: WorkProgress) {
        done = progress.done
        total = max(progress.total ?? 0, 1)
        hasTotal = progress.total != nil
        label = progress.what + (progress.total.map { ": \(progress.done) of \($0)" } ?? ": \(progress.done)")
    }
}
