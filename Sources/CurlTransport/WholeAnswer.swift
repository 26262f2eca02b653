import Backend
import Locking

/// Collects the head and the body of an answer.
final class WholeAnswer: Receiver {
    private typealias Outcome = Result<HTTPResponse, TransportError>
    private let limit: Int
    private let state = Locked(State())

    private struct State {
        var head: HTTPHead?
        var body: [UInt8] = []
        var waiter: CheckedContinuation<Outcome, Never>?
    }

    /// - Parameter limit: The size limit of the body in bytes.
    init(limit: Int) { self.limit = limit }

    /// Begins the exchange and returns its answer.
    func response(
        begin: () -> Void, cancel: @escaping @Sendable () -> Void
    ) async throws(TransportError) -> HTTPResponse {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                state.withLock { $0.waiter = waiter }
                begin()
                // A cancellation before `begin` found no exchange to end. Cancelling twice has no effect.
                if Task.isCancelled { cancel() }
            }
        } onCancel: {
            cancel()
        }
        return try outcome.get()
    }

    func receive(_ head: HTTPHead) {
        // Only a hint: a server may claim any length, and the body may be compressed.
        let length = head.header("Content-Length").flatMap { Int($0) } ?? 0
        state.withLock { state in
            state.head = head
            state.body.reserveCapacity(min(max(length, 0), limit))
        }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Delivery {
        state.withLock { state in
            guard state.body.count + bytes.count <= limit else { return .tooLarge }
            state.body.append(contentsOf: bytes)
            return .all
        }
    }

    func finish(_ error: TransportError?) {
        let (waiter, outcome) = state.withLock { state in
            let outcome: Outcome =
                if let error {
                    .failure(error)
                } else if let head = state.head {
                    .success(HTTPResponse(head: head, body: state.body))
                } else {
                    .failure(TransportError(.protocolViolation, detail: "the answer has no head"))
                }
            defer { state = State() }
            return (state.waiter, outcome)
        }
        waiter?.resume(returning: outcome)
    }
}
