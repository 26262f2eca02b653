/// The tasks of a process that wait for a moment of virtual time. They are resumed at that moment, on cancellation, or
/// when the process dies.
///
/// Sendable: see `Loop`.
final class Sleepers: @unchecked Sendable {
    private let loop: Loop
    private var sleeping: [Int: Sleeper] = [:]
    private var lastNumber = 0
    private var isOver = false

    private struct Sleeper {
        var event: Int
        var continuation: UnsafeContinuation<Void, Never>
    }

    init(_ loop: Loop) { self.loop = loop }

    /// Waits for the given number of milliseconds.
    ///
    /// - Throws: `CancellationError`, also when the process is dead.
    func sleep(for time: Int64) async throws {
        lastNumber += 1
        let number = lastNumber
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                if isOver || Task.isCancelled { return continuation.resume() }
                let event = loop.after(time) { [weak self] in self?.wake(number) }
                sleeping[number] = Sleeper(event: event, continuation: continuation)
            }
        } onCancel: {
            wake(number)
        }
        if isOver || Task.isCancelled { throw CancellationError() }
    }

    /// Waits for the given duration, rounded to whole milliseconds, at least one.
    func sleep(for time: Duration) async throws {
        let (seconds, attoseconds) = time.components
        try await sleep(for: max(1, seconds * 1_000 + attoseconds / 1_000_000_000_000_000))
    }

    /// The process is dead.
    func end() {
        isOver = true
        for number in sleeping.keys.sorted() { wake(number) }
    }

    private func wake(_ number: Int) {
        guard let sleeper = sleeping.removeValue(forKey: number) else { return }
        loop.cancel(sleeper.event)
        sleeper.continuation.resume()
    }
}
