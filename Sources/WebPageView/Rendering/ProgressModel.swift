internal import ControllerKit

/// A long work as the template `progress` shows it.
struct ProgressModel {
    /// What is being done.
    let what: String
    /// What is being done, and how much of it.
    let label: String
    let done: Int
    let total: Int
    /// Whether the total is known.
    let hasTotal: Bool
    /// The form that cancels it, where this session has begun it.
    let cancel: [Cancel]

    struct Cancel {
        let work: String
        let csrf: String
        let at: String
    }

    init(_ progress: WorkProgress, cancel: Cancel? = nil) {
        what = progress.what
        done = progress.done
        total = max(progress.total ?? 0, 1)
        hasTotal = progress.total != nil
        self.cancel = [cancel].compactMap(\.self)
        if let total = progress.total {
            label = "\(what): \(done) of \(total)"
        } else {
            label = done > 0 ? "\(what): \(done)" : "\(what)…"
        }
    }

    /// Nil where no long work is under way on the page.
    ///
    /// - Parameter progress: What the screen's state shows; nil: nothing, or no longer, while the verb's result is awaited.
    init?(_ progress: WorkProgress?, in frame: PageFrame) {
        let verb = frame.work.flatMap { $0.isDeferred ? Outline.label(of: $0.verb).capitalisedFirst : nil }
        guard let progress = progress ?? verb.map({ WorkProgress($0) }) else { return nil }
        self.init(
            progress, cancel: frame.work.map { Cancel(work: $0.id, csrf: frame.csrf, at: frame.address.text) })
    }
}
