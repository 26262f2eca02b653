/// An answer as a value.
struct PageAnswer: Sendable {
    var status: Int
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// Pieces that are sent as they come, in place of the body.
    var stream: AsyncStream<String>?

    /// The headers of every answer.
    ///
    /// `Referrer-Policy` is `same-origin`, not `no-referrer`: with the latter, browsers send `Origin: null` with a
    /// form (Fetch, "append a request `Origin` header"), which can't be distinguished from another page's.
    static let usualHeaders: [(name: String, value: String)] = [
        (
            "Content-Security-Policy",
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; "
                + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        ),
        ("Cache-Control", "no-store"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
        ("Referrer-Policy", "same-origin"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
    ]

    static func html(_ status: Int, _ text: String) -> PageAnswer { of("text/html; charset=utf-8", status, text) }

    static func text(_ status: Int, _ text: String) -> PageAnswer {
        of("text/plain; charset=utf-8", status, text + "\n")
    }

    /// Go there, by GET (RFC 9110, section 15.4.4).
    static func see(_ address: String) -> PageAnswer { PageAnswer(status: 303, headers: [("Location", address)]) }

    /// A text that is kept as a file.
    static func file(_ name: String, _ text: String) -> PageAnswer {
        var answer = of("text/plain; charset=utf-8", 200, text)
        answer.headers.append(("Content-Disposition", "attachment; filename=\"\(name)\""))
        return answer
    }

    static func asset(_ type: String, _ bytes: [UInt8]) -> PageAnswer {
        PageAnswer(status: 200, headers: [("Content-Type", type)], body: bytes)
    }

    static func events(_ stream: AsyncStream<String>) -> PageAnswer {
        PageAnswer(status: 200, headers: [("Content-Type", "text/event-stream")], stream: stream)
    }

    private static func of(_ type: String, _ status: Int, _ text: String) -> PageAnswer {
        PageAnswer(status: status, headers: [("Content-Type", type)], body: Array(text.utf8))
    }
}
