internal import ControllerKit
internal import SyncEngine

extension WorkProgress {
    /// How far the engine is, in the person's words.
    init(_ progress: SyncProgress) {
        let what =
            switch progress.phase {
            case .receiving: "Receiving"
            case .sending: "Sending"
            case .comparing: "Comparing"
            }
        self.init(what, progress.done, of: progress.total)
    }
}
