/// The tasks started for a presentation: they end with it at the latest.
@MainActor
final class Work {
    /// Receives the errors of tasks, cancellation excepted.
    var report: @MainActor (any Error) -> Void = { _ in }

    private var tasks: [Int: Task<Void, Never>] = [:]
    private var lastNumber = 0
    private var isEnded = false

    nonisolated init() {}

    /// Starts work; after the end nothing is started any more.
    func run(_ operation: @escaping @MainActor () async throws -> Void) {
        guard !isEnded else { return }
        lastNumber += 1
        let number = lastNumber
        tasks[number] = Task { [weak self] in
            do { try await operation() } catch is CancellationError {} catch { self?.report(error) }
            self?.tasks[number] = nil
        }
    }

    /// Cancels everything under way, for good.
    func end() {
        isEnded = true
        for task in tasks.values { task.cancel() }
    }
}
