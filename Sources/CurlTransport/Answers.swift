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

/// A bounded buffer of a body between the loop's thread, which fills it, and one reader.
final class StreamedAnswer: Receiver {
    private typealias HeadWaiter = CheckedContinuation<Result<HTTPHead, TransportError>, Never>
    private typealias ReaderWaiter = CheckedContinuation<Void, Never>
    private let limit: Int
    private let state = Locked(State())

    private struct State {
        var head: HTTPHead?
        var buffer: [UInt8] = []
        var isHeldBack = false
        /// The result, once the exchange has ended; `.some(nil)` is success.
        var end: TransportError??
        var headWaiter: HeadWaiter?
        var reader: ReaderWaiter?

        /// Returns and removes the reader, which is resumed outside the lock.
        mutating func removeReader() -> ReaderWaiter? {
            defer { reader = nil }
            return reader
        }
    }

    /// The result of a read.
    enum Next {
        /// Bytes that have arrived, and whether the transfer is paused and must be resumed.
        case bytes([UInt8], wasHeldBack: Bool)
        case end(TransportError?)
        case nothingYet
    }

    /// - Parameter limit: The number of bytes at which the transfer is paused.
    init(limit: Int) { self.limit = limit }

    /// Begins the exchange and returns its head.
    func head(begin: () -> Void, cancel: @escaping @Sendable () -> Void) async throws(TransportError) -> HTTPHead {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                state.withLock { $0.headWaiter = waiter }
                begin()
                // A cancellation before `begin` found no exchange to end. Cancelling twice has no effect.
                if Task.isCancelled { cancel() }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    /// Returns and removes the bytes that have arrived.
    func next() -> Next {
        state.withLock { state in
            guard state.buffer.isEmpty else {
                defer { (state.buffer, state.isHeldBack) = ([], false) }
                return .bytes(state.buffer, wasHeldBack: state.isHeldBack)
            }
            return state.end.map { .end($0) } ?? .nothingYet
        }
    }

    /// Waits until `next` returns bytes or the end.
    func change() async {
        await withCheckedContinuation { reader in
            // Checked under the lock that `receive` and `finish` use, so that no wake-up is lost.
            let mustWait = state.withLock { state in
                let mustWait = state.buffer.isEmpty && state.end == nil
                if mustWait { state.reader = reader }
                return mustWait
            }
            if !mustWait { reader.resume() }
        }
    }

    func receive(_ head: HTTPHead) {
        let waiter = state.withLock { state in
            state.head = head
            defer { state.headWaiter = nil }
            return state.headWaiter
        }
        waiter?.resume(returning: .success(head))
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> Delivery {
        let (delivery, reader) = state.withLock { state -> (Delivery, ReaderWaiter?) in
            // A piece is accepted whole or not at all, so the buffer may exceed the limit by one piece.
            guard state.buffer.count < limit else {
                state.isHeldBack = true
                return (.notNow, nil)
            }
            state.buffer.append(contentsOf: bytes)
            return (.all, state.removeReader())
        }
        reader?.resume()
        return delivery
    }

    func finish(_ error: TransportError?) {
        // The first waiter is left only if no head has arrived.
        let (waiter, reader) = state.withLock { state in
            state.end = .some(error)
            defer { state.headWaiter = nil }
            return (state.headWaiter, state.removeReader())
        }
        let noHead = TransportError(.protocolViolation, detail: "the answer has no head")
        waiter?.resume(returning: .failure(error ?? noHead))
        reader?.resume()
    }
}

/// The reading end of a stream. It keeps the transport alive, and ends the exchange when it is released.
final class StreamReader: Sendable {
    private let answer: StreamedAnswer
    private let transport: CurlTransport
    private let id: Transfer.ID

    init(answer: StreamedAnswer, transport: CurlTransport, id: Transfer.ID) {
        self.answer = answer
        self.transport = transport
        self.id = id
    }

    deinit { transport.cancel(id) }

    /// Returns the next bytes; nil at the end.
    func next() async throws(TransportError) -> [UInt8]? {
        while true {
            switch answer.next() {
            case .bytes(let bytes, let wasHeldBack):
                if wasHeldBack { transport.resume(id) }
                return bytes
            case .end(nil): return nil
            case .end(let error?): throw error
            case .nothingYet: await change()
            }
        }
    }

    private func change() async {
        await withTaskCancellationHandler {
            await answer.change()
        } onCancel: {
            // The exchange then ends with `.cancelled`, which resumes the wait.
            transport.cancel(id)
        }
    }
}
