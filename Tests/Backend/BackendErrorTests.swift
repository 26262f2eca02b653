import Backend
import Foundation
import Records
import SyncAPI
import Testing

@Suite("Errors of a server")
struct BackendErrorTests {
    static let all: [BackendError] =
        TransportError.Kind.allCases.map { .transport(TransportError($0)) } + SessionEnd.allCases.map { .signedOut($0) }
        + [300, 301, 400, 401, 403, 404, 409, 410, 413, 422, 429, 500, 503].map { .problem(problem($0)) }
        + [
            .signedOut(nil), .malformedAnswer("x"), .credentialStore("no space left"), .diskFull(path: "x"),
            .damagedSession(path: "x"),
            .incompatible(Home.server, isNewer: true), .incompatible(Home.server, isNewer: false),
            .problem(problem(429, .rateLimited), retryAfter: .seconds(90)),
        ]

    static func problem(_ status: Int, _ code: Problem.Code = "some-code") -> Problem {
        Problem(status: status, code: code, title: "No title")
    }

    @Test("Each error has a message of whole sentences and a diagnostic", arguments: all)
    func messages(error: BackendError) {
        #expect(error.message.last == ".")
        #expect(!error.message.contains(".."))
        #expect(!error.diagnostic.isEmpty)
    }

    @Test("A message about the end of a session begins with the reason that views show", arguments: SessionEnd.allCases)
    func end(_ end: SessionEnd) {
        #expect(BackendError.signedOut(end).message.dropFirst().hasPrefix(end.reason.dropFirst()))
    }

    @Test("A server without an answer is named by its address", arguments: TransportError.Kind.allCases)
    func address(kind: TransportError.Kind) {
        var error = TransportError(kind)
        error.address = "https://notes.example.org"
        let isNamed = BackendError.transport(error).message.contains("https://notes.example.org")
        #expect(isNamed == (![.cancelled, .unavailable].contains(kind)))
    }

    @Test(
        "A TLS failure is explained in plain words; OpenSSL's text is in the diagnostic",
        arguments: [
            ("SSL certificate problem: certificate has expired", "not valid at this time"),
            ("SSL certificate problem: self-signed certificate", "--ca-file"),
            ("SSL certificate problem: unable to get local issuer certificate", "--ca-file"),
            ("SSL: no alternative certificate subject name matches target host name 'x'", "for another name"),
            ("error:0A00010B:SSL routines::wrong version number", "does not speak TLS"),
            ("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to 127.0.0.1:8080", "probably does not speak TLS"),
            (
                "gnutls_handshake() failed: The TLS connection was non-properly terminated.",
                "whether it is https or http"
            ),
            ("error setting certificate file: /nowhere/ca.pem", "--ca-file or the environment"),
            ("OpenSSL/3.0.19: error:0A00042E:SSL routines::tlsv1 alert protocol version", "1.2 and later"),
            ("error:0A000410:SSL routines::sslv3 alert handshake failure", "the TLS handshake failed"),
        ])
    func tls(detail: String, reason: String) {
        let error = BackendError.transport(TransportError(.tls, detail: detail))
        #expect(error.message.contains(reason))
        #expect(!error.message.contains("SSL"))
        #expect(error.diagnostic.contains(detail))
    }

    @Test(
        "An http address of a port with TLS is recognised as the likely cause of a connection without an answer",
        arguments: [("http://localhost:8443", true), ("https://localhost:8080", false), (nil, false)]
            as [(String?, Bool)])
    func plain(address: String?, isExplained: Bool) {
        var error = TransportError(.protocolViolation, detail: "Recv failure: Connection reset by peer")
        error.address = address
        let failure = BackendError.transport(error)
        #expect(failure.message.contains("--server https://…") == isExplained)
        #expect(failure.message.contains("ry again later"))
        #expect(failure.diagnostic.contains("Connection reset by peer"))
    }

    @Test(
        "A message about the quota speaks of unsent edits only if they can't be sent",
        arguments: [("records", true), ("bytes", true), ("devices", false), ("streams", false)])
    func quota(of resource: String, keepsEdits: Bool) {
        var problem = Self.problem(403, .quotaExceeded)
        problem.extensions["quota"] = .string(resource)
        let message = BackendError.problem(problem).message
        #expect(message.contains("Unsent edits") == keepsEdits)
        #expect(message.contains("`whoami`"))
    }

    @Test("A field that the server refuses is named in words, not by a JSON pointer")
    func refusedField() {
        var problem = Self.problem(422, .invalidBody)
        problem.detail = "/username: must be 1 to 64 characters of a-z"
        problem.extensions = ["errors": [["pointer": "/username", "detail": "must be 1 to 64 characters of a-z"]]]
        let message = BackendError.problem(problem).message
        #expect(message == "The server refused: the user name must be 1 to 64 characters of a-z.")
    }

    @Test("A refused registration gives the server's reason, and how to use an invite code")
    func refusedRegistration() {
        var problem = Self.problem(403, .registrationClosed)
        problem.detail = "the invite code is wrong; ask the server's owner for another one"
        #expect(
            BackendError.problem(problem).message
                == "No account was created: the invite code is wrong; ask the server's owner for another one. With an invite "
                + "code from the server's owner: `register NAME --invite CODE`.")
    }

    @Test("An answer that no Satchel server gives is reported as another server's", arguments: [404, 405, 501])
    func anotherServer(status: Int) {
        let message = BackendError.problem(Problem(json: .null, status: status)).message
        #expect(message.contains("not a sync server") && message.contains("\(status)"))
    }

    @Test("A proxy's answer without its server is a server error", arguments: [500, 502, 503, 504])
    func proxy(status: Int) {
        #expect(BackendError.problem(Problem(json: .null, status: status)).message.hasPrefix("The server failed"))
    }

    @Test("A refusal of what the caller may not do names the reason, and what to use instead")
    func forbidden() {
        let problem = Problem(
            status: 403, code: .forbidden, title: "The app password is read-only", detail: "use another one")
        let message = BackendError.problem(problem).message
        #expect(message == "The server refused: the app password is read-only; use another one.")
    }

    @Test(
        "Transient errors are distinguished from permanent ones",
        arguments: [
            (BackendError.transport(TransportError(.refused)), true),
            (.transport(TransportError(.timedOut)), true),
            (.transport(TransportError(.tls)), false),
            (.transport(TransportError(.cancelled)), false),
            (.problem(problem(500)), true), (.problem(problem(503)), true), (.problem(problem(429)), true),
            (.problem(problem(409)), true), (.problem(problem(408)), true),
            (.problem(problem(400)), false), (.problem(problem(401)), false), (.problem(problem(403)), false),
            (.problem(problem(410)), false), (.problem(problem(422)), false),
            (.malformedAnswer("x"), true), (.signedOut(.revoked), false), (.credentialStore("x"), false),
        ])
    func transience(error: BackendError, isTransient: Bool) {
        #expect(error.isTransient == isTransient)
    }

    @Test(
        "Retry-After is read as seconds or a date, is never negative, and is a day at most",
        arguments: [
            ("120", nil, Duration.seconds(120)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", "Sun, 06 Nov 1994 08:49:37 GMT", .seconds(60)),
            ("Sun, 06 Nov 1994 08:50:37 GMT", nil, .seconds(90)),
            ("Sun, 06 Nov 1994 08:40:00 GMT", nil, .zero),
            ("9223372036854775807", nil, .seconds(86_400)), ("86401", nil, .seconds(86_400)),
            ("Sun, 06 Nov 9994 08:40:00 GMT", nil, .seconds(86_400)),
            ("-1", nil, nil), ("soon", nil, nil), ("Sunday, 06-Nov-94 08:49:37 GMT", nil, nil), ("", nil, nil),
            ("Sun, 31 Foo 1994 08:49:37 GMT", nil, nil),
        ] as [(String, String?, Duration?)])
    func retryAfter(text: String, date: String?, wait: Duration?) {
        let headers = [("retry-after", text)] + (date.map { [("Date", $0)] } ?? [])
        let now = Date(timeIntervalSince1970: 784_111_747)  // 08:49:07
        #expect(HTTPHead(status: 503, headers: headers).retryAfter(now: now) == wait)
    }
}
