public import ControllerKit
public import LocalStore
internal import SyncEngine

extension Controller {
    /// Carries out long work, and shows in the state how far it is, until it is done or has failed.
    ///
    /// - Parameters:
    ///   - progress: where the state has it.
    ///   - work: receives a function to report its progress, from any thread, as often as it likes; reports that could
    ///     not be shown in time are skipped.
    func showing<Result: Sendable>(
        _ progress: WritableKeyPath<Screen.State, WorkProgress?>,
        during work: (@escaping @Sendable (WorkProgress) -> Void) async throws -> Result
    ) async throws -> Result {
        let (updates, continuation) = AsyncStream.makeStream(
            of: WorkProgress.self, bufferingPolicy: .bufferingNewest(1))
        let showing = Task { for await news in updates { state[keyPath: progress] = news } }
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await work { continuation.yield($0) }) } catch { outcome = .failure(error) }
        continuation.finish()
        await showing.value
        state[keyPath: progress] = nil
        return try outcome.get()
    }
}

extension Controller {
    /// Makes the controller read its data again after each write to the cache, by any process. To be called in
    /// `didLoad`; it ends with the presentation.
    public func notifyingOfChanges(in store: LocalStore) {
        let changes = store.changes()
        run { [weak self] in
            for await _ in changes { self?.notifyDataChanged() }
        }
    }
}

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
