import Backend

/// Collects an answer.
final class WholeAnswer: Receiver {
    private typealias Outcome = Result<HTTPResponse, TransportError>
    private let limit: Int
    private let state = Locked(State())

    private struct State {
        var head: HTTPHead?
        var body: [UInt8] = []
        var waiter: CheckedContinuation<Outcome, Never>?
    }

    /// - Parameter limit: the largest body, in bytes.
    init(limit: Int) { self.limit = limit }

    /// Begins the exchange and waits for its end.
    func response(
        begin: () -> Void, cancel: @escaping @Sendable () -> Void
    ) async throws(TransportError) -> HTTPResponse {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                state.withLock { $0.waiter = waiter }
                begin()
                // A cancellation that came before `begin` has found nothing to end; ending twice does no harm.
                if Task.isCancelled { cancel() }
            }
        } onCancel: {
            cancel()
        }
        return try outcome.get()
    }

    func receive(_ head: HTTPHead) {
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
