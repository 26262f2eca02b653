public import ControllerKit
public import LocalStore
public import SyncEngine

extension Controller {
    /// Performs long work and shows its progress in the state until the work ends.
    ///
    /// - Parameters:
    ///   - progress: The progress in the state.
    ///   - work: Receives a function that reports the progress from any thread, as often as needed. Reports that can't
    ///     be shown in time are skipped.
    /// - Returns: The result of the work.
    /// - Throws: What the work throws.
    public func showing<Result: Sendable>(
        _ progress: WritableKeyPath<Screen.State, WorkProgress?>,
        during work: (@escaping @Sendable (WorkProgress) -> Void) async throws -> Result
    ) async throws -> Result {
        let (updates, continuation) = AsyncStream.makeStream(
            of: WorkProgress.self, bufferingPolicy: .bufferingNewest(1))
        let showing = Task { for await news in updates { state[keyPath: progress] = news } }
        // The error is kept, not thrown: what follows must happen in both cases, and a `defer` can't await.
        let outcome: Swift.Result<Result, any Error>
        do { outcome = .success(try await work { continuation.yield($0) }) } catch { outcome = .failure(error) }
        continuation.finish()
        // Until the last report was shown, which could otherwise overwrite the nil below.
        await showing.value
        state[keyPath: progress] = nil
        return try outcome.get()
    }
}

extension Controller {
    /// Makes the controller refresh after each write to the cache by any process. Called in `didLoad`; ends with the
    /// presentation.
    public func notifyingOfChanges(in store: LocalStore) {
        // A controller reads what it shows after `didLoad`, so an element at once would only make it read twice.
        let changes = store.changes(beginsAtOnce: false)
        run { [weak self] in
            for await _ in changes { self?.notifyDataChanged() }
        }
    }
}

extension WorkProgress {
    /// Creates the progress of a sync, with its phase in words.
    public init(_ progress: SyncProgress) {
        let what =
            switch progress.phase {
            case .receiving: "Receiving"
            case .sending: "Sending"
            case .comparing: "Comparing"
            }
        self.init(what, progress.done, of: progress.total)
    }
}
