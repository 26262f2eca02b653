/// A request to the page, independent of the HTTP library.
struct PageRequest: Sendable {
    var method: String
    /// Without the query.
    var path: String
    var query: Parameters
    /// By their names in lower case; of several with one name the last.
    var headers: [String: String] = [:]
    /// The value of a cookie.
    var cookie: @Sendable (_ name: String) -> String? = { _ in nil }
    /// Reads the body; nil when it is longer than this number of bytes.
    var body: @Sendable (_ limit: Int) async throws -> [UInt8]? = { _ in [] }
}

/// Which requests are accepted, before any session is looked up. Pure.
struct RequestRules {
    /// Where the page is: `127.0.0.1:8290`, and the other names of the same place.
    let authorities: Set<String>

    /// Why a request is refused; nil: it isn't.
    func refusal(of request: PageRequest) -> PageAnswer? {
        // Another name that resolves to this address (DNS rebinding) would give another site's page the same origin.
        guard let host = request.headers["host"]?.lowercased(), authorities.contains(host) else {
            return .text(421, "This page answers only at its own address.")
        }
        switch request.method {
        case "GET", "HEAD": return refusalOfReading(request)
        case "POST":
            return isFromHere(request, host) ? nil : .text(403, "This came from another page, and was refused.")
        default: return .text(405, "This can't be done with the page.")
        }
    }

    /// What another site embeds or fetches is refused. A link may be anywhere: who follows it comes without the cookie,
    /// which is `SameSite=Strict`, and sees how to go on.
    private func refusalOfReading(_ request: PageRequest) -> PageAnswer? {
        if request.headers["sec-fetch-mode"] == "navigate", request.headers["sec-fetch-dest"] == "document" {
            return nil
        }
        switch request.headers["sec-fetch-site"] {
        case nil, "same-origin", "none": return nil
        default: return .text(403, "This came from another page, and was refused.")
        }
    }

    /// Every browser names the origin of what changes something; who names none is none, and must know the form's token.
    private func isFromHere(_ request: PageRequest, _ host: String) -> Bool {
        if let origin = request.headers["origin"], origin.lowercased() != "http://" + host { return false }
        return ["same-origin", "none", nil].contains(request.headers["sec-fetch-site"])
    }
}

extension RequestRules {
    /// Rules for a page at this port of the loopback address.
    init(port: Int) { authorities = ["127.0.0.1:\(port)", "localhost:\(port)"] }
}

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
