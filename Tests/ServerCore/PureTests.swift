import Logging
import NIOConcurrencyHelpers
import Records
@testable import ServerCore
import SyncAPI
import Testing

@Suite struct CursorTests {
    @Test func aCursorSurvivesItsText() {
        let cursor = Cursor(epoch: "e-1", position: 7, horizon: 12)
        #expect(Cursor(cursor.text) == cursor)
    }

    @Test(arguments: [
        "", "x", "!!", "ZS4xLjE=", Base64URL.encode("e.1".utf8), Base64URL.encode("e.2.1".utf8),
        Base64URL.encode("e.-1.1".utf8), Base64URL.encode("e.01.1".utf8), Base64URL.encode("e e.1.1".utf8),
    ])
    func aForgedStringIsNoCursor(_ text: String) {
        #expect(Cursor(text) == nil)
    }

    @Test(arguments: [
        (Cursor(epoch: "e", position: 10), Cursor.Validity.valid),
        (Cursor(epoch: "e", position: 9), .expired),
        (Cursor(epoch: "e", position: 0, horizon: 10), .valid),
        (Cursor(epoch: "e", position: 0, horizon: 9), .expired),
        (Cursor(epoch: "e", position: 20), .valid),
        (Cursor(epoch: "e", position: 21), .epochChanged(shared: 0)),
        (Cursor(epoch: "f", position: 10), .epochChanged(shared: 0)),
    ])
    func aCursorIsCheckedByEpochFloorAndCounter(_ cursor: Cursor, _ validity: Cursor.Validity) {
        #expect(cursor.validity(epoch: "e", space: SpaceRow(id: "s", version: 20, tombstoneFloor: 10)) == validity)
    }

    @Test func theValidityOfACursorOfAnEpochEndedByARestoreHasTheSharedVersion() {
        let validity = Cursor(epoch: "f", position: 10).validity(epoch: "e", space: SpaceRow(id: "s"), shared: 7)
        #expect(validity == .epochChanged(shared: 7))
    }
}

@Suite struct RefreshClaimTests {
    private func session(generation: Int64, id: String = "s-1") -> StoredSession {
        var session = StoredSession(
            id: id, account: "a", device: "d", deviceName: "n", createdAt: 1, lastSeenAt: 1)
        session.generation = generation
        return session
    }

    @Test func aClaimIsParsedFromTheTokenThatHasIt() {
        let claim = RefreshClaim(session: session(generation: 12), since: 3)
        #expect(RefreshClaim(of: "abc" + claim.suffix) == claim)
    }

    @Test(arguments: [
        "", "abc", "abc.s-1.1", "abc.s-1.x.0", "abc.s-1.1.2", "abc.s-1.1.-1", "abc.s-1.1.0.0", "abc..1.0",
        "abc.\u{0}.1.0",
    ])
    func otherTextsHaveNone(_ token: String) {
        #expect(RefreshClaim(of: token) == nil)
    }

    @Test func aTokenWasReplacedIfItsSessionHasALaterGeneration() {
        let claim = RefreshClaim(session: session(generation: 2), since: 0)
        #expect(claim.isReplaced(in: session(generation: 3)))
        #expect(!claim.isReplaced(in: session(generation: 2)))
        #expect(!claim.isReplaced(in: session(generation: 1)))
        #expect(!claim.isReplaced(in: session(generation: 3, id: "s-2")))
    }
}

@Suite struct RefreshDecisionTests {
    private func decide(
        generation: Int64, used: Bool, token: Int64, kind: StoredToken.Kind = .refresh, expired: Bool = false,
        withdrawn: Bool = false, pairs: Int = 1
    ) -> RefreshDecision {
        let session = StoredSession(
            id: "s", account: "a", device: "d", deviceName: "n", createdAt: 0, lastSeenAt: 0, generation: generation,
            generationUsed: used)
        return RefreshDecision.decide(
            StoredToken(
                hash: [], session: "s", kind: kind, generation: token, pair: 0, expiresAt: expired ? 100 : 101,
                isWithdrawn: withdrawn),
            of: session, pairs: pairs, now: 100)
    }

    @Test func theTable() {
        #expect(decide(generation: 3, used: false, token: 3) == .rotate)
        #expect(decide(generation: 3, used: true, token: 3) == .rotate)
        #expect(decide(generation: 3, used: true, token: 3, expired: true) == .expired)
        #expect(decide(generation: 3, used: false, token: 2) == .addSuccessor)
        #expect(decide(generation: 3, used: false, token: 2, pairs: 16) == .addSuccessor)
        #expect(decide(generation: 3, used: false, token: 2, pairs: 17) == .stolen)
        #expect(decide(generation: 3, used: false, token: 3, pairs: 17) == .rotate)
        #expect(decide(generation: 3, used: false, token: 2, expired: true) == .expired)
        #expect(decide(generation: 3, used: true, token: 2) == .stolen)
        #expect(decide(generation: 3, used: false, token: 1) == .stolen)
        #expect(decide(generation: 3, used: false, token: 3, kind: .access) == .invalid)
        #expect(decide(generation: 3, used: false, token: 3, withdrawn: true) == .stolen)
        #expect(decide(generation: 4, used: false, token: 3, withdrawn: true) == .stolen)
    }
}

@Suite struct PreconditionTests {
    @Test(
        arguments: [
            ("\"42\"", nil, Int64?(42), true), ("\"41\"", nil, 42, false), ("\"41\", \"42\"", nil, 42, true),
            ("W/\"42\"", nil, 42, false), ("*", nil, 42, true), ("*", nil, nil, false), ("\"42\"", nil, nil, false),
            (nil, "*", nil, true), (nil, "*", 42, false), (nil, "\"42\"", 42, false), (nil, "W/\"42\"", 42, false),
            (nil, "\"41\"", 42, true),
        ] as [(String?, String?, Int64?, Bool)])
    func preconditionsAllowAWrite(_ ifMatch: String?, _ ifNoneMatch: String?, _ version: Int64?, _ holds: Bool) throws {
        #expect(try Precondition(ifMatch: ifMatch, ifNoneMatch: ifNoneMatch).holds(for: version) == holds)
    }

    @Test(arguments: [", \"42\" ,,\t\"43\",", "\"42\",W/\"43\"", "\"\",\"42\"", "\"a,b\", \"42\"", " \"42\" "])
    func aListMayHaveBlanksAndEmptyElements(_ text: String) throws {
        #expect(try Precondition(ifMatch: text, ifNoneMatch: nil).holds(for: 42))
    }

    @Test(
        arguments: [
            "", " ", ",", "garbage", "42", "\"42", "42\"", "\"42\" x", "\"42\"\"43\"", "w/\"42\"", "W/42", "*, \"42\"",
            "**",
            "\"4 2\"", "\"4\u{7F}2\"", "\u{201C}42\u{201D}",
        ])
    func anInvalidEntityTagIsRefused(_ text: String) {
        for isMatch in [true, false] {
            #expect(throws: Problem.badPrecondition(isMatch ? "If-Match" : "If-None-Match")) {
                try Precondition(ifMatch: isMatch ? text : nil, ifNoneMatch: isMatch ? nil : text)
            }
        }
    }
}

@Suite struct MergePatchTests {
    /// The examples of RFC 7396, appendix A.
    @Test(arguments: [
        (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
        (#"{"a":"b"}"#, #"{"a":null}"#, "{}"), (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
        (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#), (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
        (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
        (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#), (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
        (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"),
        (#"{"a":"foo"}"#, #""bar""#, #""bar""#),
        (#"{"e":null}"#, #"{"a":1}"#, #"{"a":1,"e":null}"#), ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
        ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
    ])
    func theExamplesOfTheRFC(_ target: String, _ patch: String, _ result: String) throws {
        #expect(try MergePatch.apply(JSONValue(parsing: patch), to: JSONValue(parsing: target)).text == result)
    }
}

@Suite struct SmallPartsTests {
    @Test func aPasswordIsMeasuredAndHashedInNFC() {
        #expect(Password("12345678")?.bytes.count == 8)
        #expect(Password("1234567") == nil)
        #expect(Password(String(repeating: "x", count: 1_024)) != nil)
        #expect(Password(String(repeating: "x", count: 1_025)) == nil)
        #expect(Password("e\u{301}clair!!")?.bytes == Password("\u{E9}clair!!")?.bytes)
    }

    @Test func aUUIDHasVersionFour() {
        let environment = ServerEnvironment(now: { 0 }, randomBytes: { Array(repeating: 0xFF, count: $0) })
        #expect(environment.uuid() == "ffffffff-ffff-4fff-bfff-ffffffffffff")
    }

    @Test func aLogLineIsOneLine() {
        let lines = Lines()
        var handler = LogfmtHandler(level: .info) { lines.add($0) }
        handler[metadataKey: "path"] = "/a b\n\"c\""
        handler.log(
            event: .init(
                level: .info, message: "done", metadata: ["n": "1"], source: nil, file: "", function: "", line: 1))
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.hasSuffix(" level=info message=done n=1 path=\"/a b\\n\\\"c\\\"\"\n") == true)
    }
}

/// The client's address, as far as it can be known behind proxies.
@Suite struct ClientAddressTests {
    struct Case: Sendable {
        var peer: String
        var headers: [(name: String, value: String)] = []
        var client: String?

        init(_ peer: String, _ headers: [(name: String, value: String)] = [], is client: String?) {
            (self.peer, self.headers, self.client) = (peer, headers, client)
        }
    }

    static let cases = [
        Case("192.0.2.1", is: "192.0.2.1"),
        Case("192.0.2.1", [("X-Forwarded-For", "198.51.100.7")], is: "192.0.2.1"),
        Case("127.0.0.1", is: nil), Case("::1", is: nil), Case("::ffff:127.0.0.1", is: nil), Case("", is: nil),
        Case("10.0.0.1", [("X-Forwarded-For", "198.51.100.7")], is: "198.51.100.7"),
        Case("::ffff:10.0.0.1", [("x-forwarded-for", "198.51.100.7:4711")], is: "198.51.100.7"),
        Case("10.0.0.1", [("X-Forwarded-For", "203.0.113.9, 198.51.100.7 , 10.0.0.2")], is: "198.51.100.7"),
        Case("10.0.0.1", [("X-Forwarded-For", "198.51.100.7"), ("X-Forwarded-For", "10.0.0.2")], is: "198.51.100.7"),
        // A client's own `Forwarded`, which most proxies pass on.
        Case("10.0.0.1", [("Forwarded", "for=203.0.113.9"), ("X-Forwarded-For", "198.51.100.7")], is: "198.51.100.7"),
        Case("10.0.0.1", [("Forwarded", "for=203.0.113.9")], is: nil),
        Case("10.0.0.1", [("X-Forwarded-For", "[2001:db8::1]:80")], is: "2001:db8::1"),
        Case("10.0.0.1", [("X-Forwarded-For", "2001:db8::1")], is: "2001:db8::1"),
        Case("10.0.0.1", [("X-Forwarded-For", "198.51.100.7, unknown")], is: nil),
        Case("10.0.0.1", is: nil),
    ]

    @Test(arguments: cases)
    func theLastAddressThatIsNoTrustedProxyCounts(_ entry: Case) throws {
        let proxies = Set(["10.0.0.1", "10.0.0.2"].compactMap(IPAddress.init))
        let request = ServerRequest(method: "POST", target: "/", headers: entry.headers, address: entry.peer)
        #expect(request.client(behind: proxies) == entry.client.flatMap(IPAddress.init))
    }
}

/// Collects log lines.
final class Lines: Sendable {
    private let lines = NIOLockedValueBox<[String]>([])

    func add(_ line: String) { lines.withLockedValue { $0.append(line) } }

    var all: [String] { lines.withLockedValue { $0 } }
}
