package import Backend
package import ServerCore

/// Carries requests to a `SyncServer` in this process without a socket, for tests and the simulation.
package struct InProcessServerTransport: HTTPTransport {
    private let server: SyncServer

    /// A transport that ignores hosts: every address is the server's.
    package init(_ server: SyncServer) { self.server = server }

    package func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        let answer = try await answer(request)
        var body = answer.body
        while let piece = await answer.stream?.next() { body += piece }
        return HTTPResponse(status: answer.status, headers: answer.headers, body: body)
    }

    private func answer(_ request: HTTPRequest) async throws(TransportError) -> ServerAnswer {
        guard let (host, target) = Self.parts(of: request.url) else {
            throw TransportError(.cannotResolve, detail: request.url)
        }
        return await server.answer(
            ServerRequest(
                method: request.method, target: target, headers: [("Host", host)] + Self.headers(of: request),
                address: "in-process", body: request.body ?? []))
    }

    package func stream(_ request: HTTPRequest) async throws(TransportError) -> HTTPStream {
        let answer = try await answer(request)
        let head = HTTPHead(status: answer.status, headers: answer.headers)
        if let stream = answer.stream {
            return HTTPStream(head: head, body: AsyncThrowingStream { await stream.next() })
        }
        return HTTPStream(
            head: head,
            body: AsyncThrowingStream { continuation in
                continuation.yield(answer.body)
                continuation.finish()
            })
    }

    /// The headers as they would arrive over a socket.
    private static func headers(of request: HTTPRequest) -> [(name: String, value: String)] {
        request.headers + (request.body.map { [("Content-Length", String($0.count))] } ?? [])
    }

    /// The host with its port, and path with query, of an absolute address.
    private static func parts(of url: String) -> (host: String, target: String)? {
        guard let scheme = url.firstRange(of: "://") else { return nil }
        let rest = url[scheme.upperBound...]
        guard let slash = rest.firstIndex(of: "/") else { return (String(rest), "/") }
        return (String(rest[..<slash]), String(rest[slash...]))
    }
}
