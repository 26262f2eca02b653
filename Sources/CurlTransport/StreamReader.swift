import Backend

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
