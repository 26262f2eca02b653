import Backend
import Records
import ServerCore

/// The network between one process of a device and the server: the result of each request is a fate.
///
/// Sendable: see `Loop`.
final class SimulatedTransport: HTTPTransport, @unchecked Sendable {
    private let loop: Loop
    private let server: ServerMachine
    private let device: Device
    private var waiting: [Int: (Result<HTTPResponse, TransportError>) -> Void] = [:]
    private var streams: [Int: Stream] = [:]
    private var lastID = 0
    private var isCut = false

    /// A streamed body.
    private struct Stream {
        var pieces: AsyncThrowingStream<[UInt8], any Error>.Continuation
        /// Identifies the stream to the server.
        var serverID: Int
        /// The latency of the request to the server, in milliseconds.
        var outbound: Int64
    }

    init(from device: Device, to server: ServerMachine, loop: Loop) {
        self.device = device
        self.server = server
        self.loop = loop
    }

    /// Closes the connections of a process that has ended; its pending answers are never delivered.
    func cut() {
        isCut = true
        for id in waiting.keys.sorted() { end(id, .failure(TransportError(.cancelled))) }
        for id in streams.keys.sorted() { close(id, .cancelled) }
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        // As from an older server, which announces nothing, so that batches may be too large for it. The question has no
        // fate: those of a schedule are for the other requests.
        if request.url.hasSuffix("/v1/") { return HTTPResponse(status: 404) }
        return try await exchange { self.carry(request, $0) }.get()
    }

    func stream(_ request: HTTPRequest) async throws(TransportError) -> HTTPStream {
        let (body, pieces) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        let result = await exchange { id in
            pieces.onTermination = { [weak self] _ in self?.close(id, .cancelled) }
            self.open(request, id, pieces)
        }
        return HTTPStream(head: try result.get().head, body: body)
    }

    private func exchange(_ begin: (Int) -> Void) async -> Result<HTTPResponse, TransportError> {
        lastID += 1
        let id = lastID
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                waiting[id] = { continuation.resume(returning: $0) }
                if isCut || Task.isCancelled { return end(id, .failure(TransportError(.cancelled))) }
                begin(id)
            }
        } onCancel: {
            end(id, .failure(TransportError(.cancelled)))
        }
    }

    private func fail(_ id: Int, after delay: Int64, _ kind: TransportError.Kind) {
        loop.after(delay) { self.end(id, .failure(TransportError(kind))) }
    }

    private func end(_ id: Int, _ result: Result<HTTPResponse, TransportError>) {
        waiting.removeValue(forKey: id)?(result)
        if case .failure(let error) = result { close(id, error.kind) }
    }
}

// MARK: - Requests with one answer

extension SimulatedTransport {
    private func carry(_ request: HTTPRequest, _ id: Int) {
        let (mayAsk, fate) = (device.mayAsk(), device.nextFate())
        guard mayAsk, loop.now >= device.partitionedUntil else { return fail(id, after: fate.outbound, .refused) }
        let (there, round) = (fate.outbound, fate.outbound + fate.inbound)
        switch fate.kind {
        case .delivered: deliver(request, after: there) { self.finish(id, $0, after: fate.inbound) }
        case .requestLost: fail(id, after: round, .timedOut)
        case .unanswered: fail(id, after: request.patience, .timedOut)
        case .answerLost: deliver(request, after: there) { _ in self.fail(id, after: fate.inbound, .timedOut) }
        case .doubled:
            deliver(request, after: there) { self.finish(id, $0, after: fate.inbound) }
            deliver(request, after: round * 2) { _ in }
        case .late:
            fail(id, after: there, .timedOut)
            deliver(request, after: there + fate.inbound * 20) { _ in }
        case .garbled:
            deliver(request, after: there) { response in
                let half = response.map { HTTPResponse(head: $0.head, body: Array($0.body.prefix($0.body.count / 2))) }
                self.finish(id, half, after: fate.inbound)
            }
        }
    }

    private func deliver(_ request: HTTPRequest, after delay: Int64, _ answer: @escaping (HTTPResponse?) -> Void) {
        loop.after(delay) { self.server.receive(request, of: self.device.name, answer) }
    }

    private func finish(_ id: Int, _ response: HTTPResponse?, after delay: Int64) {
        guard let response else { return fail(id, after: delay, .refused) }
        loop.after(delay) { self.end(id, .success(response)) }
    }
}

// MARK: - Streams

extension SimulatedTransport {
    private func open(
        _ request: HTTPRequest, _ id: Int, _ pieces: AsyncThrowingStream<[UInt8], any Error>.Continuation
    ) {
        let (mayAsk, fate) = (device.mayAsk(), device.nextFate())
        guard mayAsk, loop.now >= device.partitionedUntil else { return fail(id, after: fate.outbound, .refused) }
        switch fate.kind {
        case .requestLost: return fail(id, after: fate.outbound + fate.inbound, .timedOut)
        case .unanswered, .late: return fail(id, after: request.patience, .timedOut)
        case .delivered, .answerLost, .doubled, .garbled: break
        }
        loop.after(fate.outbound) {
            // The requesting process may have ended.
            guard self.waiting[id] != nil else { return }
            let serverID = self.server.receive(
                request, of: self.device.name, pieces: { self.carry($0, id, fate, request.patience) }
            ) { response in
                if fate.kind == .answerLost { return self.fail(id, after: request.patience, .timedOut) }
                self.finish(id, response, after: fate.inbound)
                // The answer of a refusal is not streamed.
                guard let response, response.head.status >= 300 else { return }
                self.carry(response.body, id, fate, request.patience)
                self.carry(nil, id, fate, request.patience)
            }
            self.streams[id] = Stream(pieces: pieces, serverID: serverID, outbound: fate.outbound)
        }
    }

    /// A piece is on its way to the device; nil: the server has ended the stream.
    private func carry(_ piece: [UInt8]?, _ id: Int, _ fate: Fate, _ patience: Int64) {
        // Without a network no more bytes arrive, which is detected only by a timeout.
        if loop.now < device.partitionedUntil {
            loop.after(patience) { self.close(id, .timedOut) }
            return
        }
        loop.after(fate.inbound) {
            guard let stream = self.streams[id] else { return }
            switch (piece, fate.kind) {
            case (let piece?, .garbled):
                stream.pieces.yield(Array(piece.prefix(piece.count / 2)))
                self.close(id, .protocolViolation)
            case (let piece?, _): stream.pieces.yield(piece)
            case (nil, _): self.close(id, nil)
            }
        }
    }

    /// Ends the stream: for its reader at once, for the server after the network's delay.
    private func close(_ id: Int, _ reason: TransportError.Kind?) {
        guard let stream = streams.removeValue(forKey: id) else { return }
        if let reason { stream.pieces.finish(throwing: TransportError(reason)) } else { stream.pieces.finish() }
        loop.after(stream.outbound) { self.server.hangUp(stream.serverID) }
    }
}

extension HTTPRequest {
    /// After how many milliseconds without a byte the request counts as timed out.
    fileprivate var patience: Int64 { (silence ?? timeout).components.seconds * 1_000 }
}

/// An IMF-fixdate (RFC 9110, 5.6.7).
enum HTTPDate {
    /// - Parameter milliseconds: since 1970.
    static func text(milliseconds: Int64) -> String {
        let parts = Timestamp.text(milliseconds: milliseconds)
        let (date, time) = (parts.prefix(10).split(separator: "-"), parts.dropFirst(11).prefix(8))
        let weekday = days[Int(milliseconds / 86_400_000) % 7]
        return "\(weekday), \(date[2]) \(months[(Int(date[1]) ?? 1) - 1]) \(date[0]) \(time) GMT"
    }

    /// The first of January 1970 was a Thursday.
    private static let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
