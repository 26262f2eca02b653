internal import ControllerKit

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
