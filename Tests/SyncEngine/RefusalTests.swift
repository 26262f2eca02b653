import Backend
import LocalStore
import Records
import SyncAPI
import Testing

@testable import SyncEngine

@Suite struct RefusalTests {
    private static func problem(_ status: Int, _ code: Problem.Code = "x", shared: Int64? = nil) -> BackendError {
        var problem = Problem(status: status, code: code, title: "Title", detail: "Detail")
        problem.extensions["shared"] = shared.map(JSONValue.integer)
        return .problem(problem)
    }

    private static let split = Refusal.split(Rejection(code: "x", reason: "Detail"))

    private static let cases: [(error: BackendError, push: Refusal, pull: Refusal)] = [
        (problem(410, .epochChanged, shared: 5), .read(.restored(shared: 5)), .read(.restored(shared: 5))),
        (problem(410, .epochChanged), .read(.restored(shared: 0)), .read(.restored(shared: 0))),
        // Why is lost: it might have been a restore.
        (problem(410, "http-410"), .fail(isFinal: false), .fail(isFinal: false)),
        (problem(410, .cursorExpired), .read(.resync(.cursorExpired)), .read(.resync(.cursorExpired))),
        (problem(400, .invalidCursor), .read(.resync(.cursorExpired)), .read(.resync(.cursorExpired))),
        (problem(413), split, .fail(isFinal: true)), (problem(400), .fail(isFinal: true), .fail(isFinal: true)),
        (problem(422), .fail(isFinal: true), .fail(isFinal: true)),
        (
            problem(422, .invalidBody), .split(Rejection(code: "invalid-body", reason: "Detail")),
            .fail(isFinal: true)
        ), (problem(401), .fail(isFinal: false), .fail(isFinal: false)),
        (problem(408), .fail(isFinal: false), .fail(isFinal: false)),
        (problem(409), .fail(isFinal: false), .fail(isFinal: false)),
        (problem(429), .fail(isFinal: false), .fail(isFinal: false)),
        (problem(403), .fail(isFinal: true), .fail(isFinal: true)),
        (problem(404), .fail(isFinal: true), .fail(isFinal: true)),
        (problem(500), .fail(isFinal: false), .fail(isFinal: false)),
        (problem(503), .fail(isFinal: false), .fail(isFinal: false)),
        (.transport(TransportError(.timedOut)), .fail(isFinal: false), .fail(isFinal: false)),
        (.malformedAnswer("?"), .fail(isFinal: false), .fail(isFinal: false)),
        (.signedOut(nil), .fail(isFinal: false), .fail(isFinal: false)),
    ]

    @Test(arguments: cases.indices)
    func `each refusal has one meaning`(index: Int) {
        let (error, push, pull) = Self.cases[index]
        #expect(Refusal.of(error, isPush: true) == push, "\(error)")
        #expect(Refusal.of(error, isPush: false) == pull, "\(error)")
    }
}
