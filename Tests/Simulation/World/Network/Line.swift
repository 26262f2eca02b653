import Backend
import ServerCore

/// The network between one process of a device and the server: what becomes of each request is a fate.
///
/// Sendable: see `Loop`.
final class Line: HTTPTransport, @unchecked Sendable {
    private let loop: Loop
    private let server: ServerMachine
    private let device: Device
    private var waiting: [Int: UnsafeContinuation<Result<HTTPResponse, TransportError>, Never>] = [:]
    private var lastID = 0
    private var isCut = false

    init(from device: Device, to server: ServerMachine, loop: Loop) {
        self.device = device
        self.server = server
        self.loop = loop
    }

    /// The process is gone: whatever it waits for never comes.
    func cut() {
        isCut = true
        for id in waiting.keys.sorted() { end(id, .failure(TransportError(.cancelled))) }
    }

    func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        if isCut { throw TransportError(.cancelled) }
        let result = await withUnsafeContinuation { continuation in
            lastID += 1
            waiting[lastID] = continuation
            carry(request, lastID)
        }
        return try result.get()
    }

    func stream(_ request: HTTPRequest) async throws(TransportError) -> HTTPStream {
        throw TransportError(.protocolViolation, detail: "the simulation has no streams")
    }

    private func carry(_ request: HTTPRequest, _ id: Int) {
        device.requests += 1
        let fate = device.nextFate()
        guard loop.now >= device.partitionedUntil else { return fail(id, after: fate.outbound, .refused) }
        let (there, round) = (fate.outbound, fate.outbound + fate.inbound)
        switch fate.kind {
        case .delivered: deliver(request, after: there) { self.finish(id, $0, after: fate.inbound) }
        case .requestLost: fail(id, after: round, .timedOut)
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
        loop.after(delay) { self.server.take(request, answer) }
    }

    private func finish(_ id: Int, _ response: HTTPResponse?, after delay: Int64) {
        guard let response else { return fail(id, after: delay, .refused) }
        loop.after(delay) { self.end(id, .success(response)) }
    }

    private func fail(_ id: Int, after delay: Int64, _ kind: TransportError.Kind) {
        loop.after(delay) { self.end(id, .failure(TransportError(kind))) }
    }

    private func end(_ id: Int, _ result: Result<HTTPResponse, TransportError>) {
        waiting.removeValue(forKey: id)?.resume(returning: result)
    }
}
