internal import NIOConcurrencyHelpers
internal import Records
internal import SyncAPI

/// The OpenAPI document of a server. It is built and compressed at the first request for it, and kept: anyone may request
/// it at any rate, and building it costs milliseconds.
final class ServedDocument: Sendable {
    private let build: @Sendable () -> JSONValue
    private let kept = NIOLockedValueBox<Answers?>(nil)

    private struct Answers: Sendable {
        let plain: ServerAnswer
        let compressed: ServerAnswer

        init(_ document: JSONValue) {
            plain = .json(Array(document.text.utf8))
            compressed = plain.compressed(accepting: "gzip")
        }
    }

    /// - Parameter build: Returns the document; called once.
    init(_ build: @escaping @Sendable () -> JSONValue) { self.build = build }

    /// Returns the answer to a request, compressed if the request accepts that.
    func answer(to request: ServerRequest) -> ServerAnswer {
        // Of several first requests at once, one builds the document, and the others wait for these milliseconds.
        let answers = kept.withLockedValue { kept in
            let answers = kept ?? Answers(build())
            kept = answers
            return answers
        }
        return ServerAnswer.acceptsGzip(request.header("Accept-Encoding") ?? "") ? answers.compressed : answers.plain
    }
}
