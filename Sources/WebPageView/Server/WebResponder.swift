internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import ServiceLifecycle

/// Passes the requests of Hummingbird to the page.
struct WebResponder: HTTPResponder {
    typealias Context = BasicRequestContext
    let site: Site

    @Sendable
    func respond(to request: Request, context: Context) async throws -> Response {
        let answer = await site.answer(PageRequest(request))
        return Response(answer, to: request)
    }
}

extension PageRequest {
    fileprivate init(_ request: Request) {
        let body = request.body
        // HTTPTypes stores `Host` as the authority of the request.
        var headers = Dictionary(request.headers.map { ($0.name.canonicalName, $0.value) }) { $1 }
        headers["host"] = request.head.authority
        let target = (request.head.path ?? "/").split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(
            method: request.method.rawValue, path: target.first.map(String.init) ?? "/",
            query: Parameters(encoded: target.count > 1 ? String(target[1]) : "") ?? Parameters(), headers: headers,
            cookie: { [cookies = request.cookies] in cookies[$0]?.value }
        ) { limit in
            var bytes: [UInt8] = []
            for try await part in body {
                // Counted while reading, since a chunked body has no declared length.
                guard bytes.count + part.readableBytes <= limit else { return nil }
                bytes.append(contentsOf: part.readableBytesView)
            }
            return bytes
        }
    }
}

extension Response {
    fileprivate init(_ answer: PageAnswer, to request: Request) {
        var headers = HTTPFields()
        for (name, value) in PageAnswer.usualHeaders + answer.headers {
            if let name = HTTPField.Name(name) { headers.append(HTTPField(name: name, value: value)) }
        }
        self.init(status: .init(code: answer.status), headers: headers, body: Self.body(answer, request))
    }

    /// Writes a stream until it ends, the page stops or the browser disconnects. Otherwise, a disconnection would be
    /// noticed only at the next write.
    private static func body(_ answer: PageAnswer, _ request: Request) -> ResponseBody {
        guard let stream = answer.stream else { return ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)) }
        return ResponseBody { writer in
            try await request.body.consumeWithCancellationOnInboundClose { _ in
                for await piece in stream.cancelOnGracefulShutdown() {
                    try await writer.write(ByteBuffer(string: piece))
                }
                try await writer.finish(nil)
            }
        }
    }
}
