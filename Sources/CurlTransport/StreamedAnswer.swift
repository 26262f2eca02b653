import Backend

/// Holds a bounded part of a body between the loop, which fills it, and one reader, who empties it.
final class StreamedAnswer: Receiver {
    private typealias HeadWaiter = CheckedContinuation<Result<HTTPHead, TransportError>, Never>
    private typealias ReaderWaiter = CheckedContinuation<Void, Never>
    private let limit: Int
    private let state = Locked(State())

    private struct State {
        var head: HTTPHead?
        var buffer: [UInt8] = []
        var isHeldBack = false
        /// Set at the end; `.some(nil)` is a good one.
        var end: TransportError??
        var headWaiter: HeadWaiter?
        var reader: ReaderWaiter?

        /// Removes the reader, to be woken outside of the lock.
        mutating func removeReader() -> ReaderWaiter? {
            defer { reader = nil }
            return reader
        }
    }

    /// What a reader finds.
    enum Next {
        /// Something to read; whether the sender was held back, and must be let go on.
        case bytes([UInt8], wasHeldBack: Bool)
        case end(TransportError?)
        case nothingYet
    }

    /// - Parameter limit: the size, in bytes, at which the sender is held back.
    init(limit: Int) { self.limit = limit }

    /// Begins the exchange and waits for its head.
    func head(begin: () -> Void, cancel: @escaping @Sendable () -> Void) async throws(TransportError) -> HTTPHead {
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                state.withLock { $0.headWaiter = waiter }
                begin()
                // A cancellation that came before `begin` has found nothing to end; ending twice does no harm.
                if Task.isCancelled { cancel() }
            }
        } onCancel: {
            cancel()
        }
        return try result.get()
    }

    /// Returns and removes all that has arrived.
    func next() -> Next {
        state.withLock { state in
            guard state.buffer.isEmpty else {
                defer { (state.buffer, state.isHeldBack) = ([], false) }
                return .bytes(state.buffer, wasHeldBack: state.isHeldBack)
            }
            return state.end.map { .end($0) } ?? .nothingYet
        }
    }

    /// Waits until `next` has something to say.
    func change() async {
        await withCheckedContinuation { reader in
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

/// The reading end of a stream; the exchange ends when it is released. Keeps the transport alive.
final class StreamReader: Sendable {
    private let answer: StreamedAnswer
    private let transport: CurlTransport
    private let id: Order.ID

    init(answer: StreamedAnswer, transport: CurlTransport, id: Order.ID) {
        self.answer = answer
        self.transport = transport
        self.id = id
    }

    deinit { transport.cancel(id) }

    /// The next piece; nil at the end.
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
            transport.cancel(id)
        }
    }
}
