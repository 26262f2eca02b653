/// A request to the page, independent of the HTTP library.
struct PageRequest: Sendable {
    var method: String
    /// The path without the query.
    var path: String
    var query: Parameters
    /// The headers by their names in lower case; of several with one name, the last.
    var headers: [String: String] = [:]
    /// Returns the value of a cookie.
    var cookie: @Sendable (_ name: String) -> String? = { _ in nil }
    /// Reads the body; returns nil if it is longer than this number of bytes.
    var body: @Sendable (_ limit: Int) async throws -> [UInt8]? = { _ in [] }
}

/// Decides which requests are accepted, before a session is looked up. Pure.
struct RequestRules {
    /// The values of `Host` that are accepted, for example `127.0.0.1:8290`.
    let authorities: Set<String>

    /// Returns the refusal of a request; nil if it is accepted.
    func refusal(of request: PageRequest) -> PageAnswer? {
        // With DNS rebinding, a name of another site resolves to this address, and its page would have the same origin.
        guard let host = request.headers["host"]?.lowercased(), authorities.contains(host) else {
            return .text(421, "This page answers only at its own address.")
        }
        switch request.method {
        case "GET", "HEAD": return refusalOfReading(request)
        case "POST":
            return isFromHere(request, host) ? nil : .text(403, "The request came from another page and was refused.")
        default: return .text(405, "This can't be done with the page.")
        }
    }

    /// Refuses requests that a page of another site embeds or fetches. Links from other sites are allowed: the request
    /// has no cookie, which is `SameSite=Strict`, and is answered by the page that says how to sign in.
    private func refusalOfReading(_ request: PageRequest) -> PageAnswer? {
        // A frame has another destination, so that the page can't be framed for clickjacking.
        if request.headers["sec-fetch-mode"] == "navigate", request.headers["sec-fetch-dest"] == "document" {
            return nil
        }
        switch request.headers["sec-fetch-site"] {
        // Older browsers don't send the header; `SameSite` protects them.
        case nil, "same-origin", "none": return nil
        default: return .text(403, "The request came from another page and was refused.")
        }
    }

    /// Browsers send `Origin` with every POST. A client that sends neither header must still know the form's token.
    private func isFromHere(_ request: PageRequest, _ host: String) -> Bool {
        if let origin = request.headers["origin"], origin.lowercased() != "http://" + host { return false }
        return ["same-origin", "none", nil].contains(request.headers["sec-fetch-site"])
    }
}

extension RequestRules {
    /// Creates the rules for a page at this port of the loopback address.
    init(port: Int) { authorities = ["127.0.0.1:\(port)", "localhost:\(port)"] }
}

/// An answer as a value.
struct PageAnswer: Sendable {
    var status: Int
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []
    /// The pieces of a streamed answer, in place of the body.
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
        // The browser must not store records on the disk.
        ("Cache-Control", "no-store"),
        // Separate the page from windows and documents of other sites (XS-Leaks, Spectre).
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
        ("Referrer-Policy", "same-origin"),
        ("X-Content-Type-Options", "nosniff"),
        // For browsers without `frame-ancestors`.
        ("X-Frame-Options", "DENY"),
    ]

    static func html(_ status: Int, _ text: String) -> PageAnswer { of("text/html; charset=utf-8", status, text) }

    static func text(_ status: Int, _ text: String) -> PageAnswer {
        of("text/plain; charset=utf-8", status, text + "\n")
    }

    /// An answer that redirects to an address, by GET (RFC 9110, section 15.4.4).
    static func see(_ address: String) -> PageAnswer { PageAnswer(status: 303, headers: [("Location", address)]) }

    /// An answer that the browser saves as a file.
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
