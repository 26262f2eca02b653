import ControllerKit
import Testing

@testable import JSONLinesView

@MainActor
@Suite("JSON lines", .timeLimit(.minutes(5)))
struct JSONLinesSessionTests {
    private enum SwitchScreen: Screen {
        static let name = "switch"
        static let summary = "A switch."
        struct State: ScreenState {
            var isOn = false
            var notice: String?
        }
        enum Intent: Sendable { case look, turn(Bool), label([String]), fail, unlock(String) }
        static let verbs: [Verb<Intent>] = [
            Verb("look", help: "Look.") { .look },
            Verb("turn", .flag("on"), answer: .notice, help: "Turn it.") { .turn($0) },
            Verb("label", .rest(.text("words")), answer: .notice, help: "Label it.") { .label($0) },
            Verb("fail", answer: .notice, help: "Fail.") { .fail },
            Verb("unlock", .secret("code"), answer: .notice, help: "Unlock it.") { .unlock($0) },
        ]
    }

    private final class SwitchController: Controller {
        typealias Screen = SwitchScreen
        let model = Model(SwitchScreen.State())
        private let look: @MainActor () async throws -> Void
        /// - Parameter look: What happens while `look` runs.
        init(look: @escaping @MainActor () async throws -> Void = {}) { self.look = look }
        func handle(_ intent: SwitchScreen.Intent) async throws {
            state.notice = nil
            switch intent {
            case .look: try await look()
            case .unlock: break
            case .turn(let isOn): state = .init(isOn: isOn, notice: "Turned \(isOn ? "on" : "off").")
            case .label(let words): state.notice = words.joined(separator: "/")
            case .fail: throw Failure(.conflict, "It is stuck.")
            }
        }
    }

    private enum LampScreen: Screen {
        static let name = "lamp"
        static let summary = "A lamp."
        struct State: ScreenState {
            var isLit = false
            var notice: String?
        }
        enum Intent: Sendable { case watch }
        static let verbs: [Verb<Intent>] = [Verb("watch", help: "Watch it.") { .watch }]
    }

    private final class LampController: Controller {
        typealias Screen = LampScreen
        let model = Model(LampScreen.State())
        func handle(_ intent: LampScreen.Intent) async throws {}
    }

    /// The session's answers to these pieces of input, without the greeting.
    private func answers(_ input: String..., maximumLineLength: Int = 1_000) async throws -> [String] {
        var written: [String] = []
        let catalog = try Catalog([.screen(SwitchScreen.self) { _ in SwitchController() }])
        let session = JSONLinesSession(catalog, version: "1.2", maximumLineLength: maximumLineLength) {
            written.append($0)
        }
        let chunks = AsyncStream { stream in
            for piece in input { stream.yield(Array(piece.utf8)) }
            stream.finish()
        }
        try await session.run(chunks)
        #expect(written.first?.contains(#""type":"hello","version":"1.2""#) == true)
        #expect(written.last == #"{"type":"end"}"#)
        return Array(written.dropFirst().dropLast())
    }

    @Test("The greeting has all screens and verbs with their schemas")
    func greeting() throws {
        let catalog = try Catalog([.screen(SwitchScreen.self) { _ in SwitchController() }])
        let text = try Event.hello(Greeting(version: "1", catalog)).text()
        #expect(text.hasPrefix(#"{"dialect":"https://json-schema.org/draft/2020-12/schema","protocol":1,"screens":["#))
        #expect(
            text.contains(
                """
                "state":{"properties":{"isOn":{"type":"boolean"},"notice":{"type":"string"}},"required":["isOn"],\
                "type":"object"}
                """))
        #expect(text.hasSuffix(#""type":"hello","version":"1"}"#))
        #expect(
            text.contains(
                """
                {"answer":"notice","arguments":{"additionalProperties":false,"properties":{"on":{"type":"boolean"}},\
                "required":[],"type":"object"},"help":"Turn it.","name":"turn"}
                """))
    }

    @Test("A request gets the resulting states and exactly one outcome, with its id")
    func request() async throws {
        let lines = try await answers(#"{"id":"a","verb":"turn","arguments":{"on":true}}"# + "\n")
        #expect(lines.last == #"{"id":"a","notice":"Turned on.","type":"done"}"#)
        #expect(
            lines.dropLast().last
                == #"{"id":"a","screen":"switch","state":{"isOn":true,"notice":"Turned on."},"type":"state"}"#)
    }

    @Test("A verb that answers with a state gets one even when nothing changed")
    func unchanged() async throws {
        let look = #"{"id":1,"verb":"look","screen":"switch"}"# + "\n"
        let lines = try await answers(look, look)
        let pair = [#"{"id":1,"screen":"switch","state":{"isOn":false},"type":"state"}"#, #"{"id":1,"type":"done"}"#]
        #expect(lines == pair + pair)
    }

    @Test("Lines may arrive in pieces, with CRLF, and without an end")
    func pieces() async throws {
        let lines = try await answers(#"{"id":1,"#, #""verb":"look"}"# + "\r", "\n\n", #"{"id":2,"verb":"look"}"#)
        #expect(lines.filter { $0.contains("done") } == [#"{"id":1,"type":"done"}"#, #"{"id":2,"type":"done"}"#])
    }

    @Test("A controller's failure is the request's outcome")
    func failure() async throws {
        let lines = try await answers(#"{"id":1,"verb":"fail"}"# + "\n")
        #expect(lines.last == #"{"category":"conflict","id":1,"message":"It is stuck.","type":"error"}"#)
    }

    @Test(
        "An invalid line becomes an error line with its number, and the session continues",
        arguments: [
            ("nonsense", nil, "The line is not JSON"), ("[1]", nil, "must be a JSON object"),
            (#"{"id":7}"#, "7", "“verb” is missing"), (#"{"id":7,"verb":"jump"}"#, "7", "Unknown command “jump”"),
            (#"{"id":7,"verb":"look","screen":"list"}"#, "7", "belongs to the screen “switch”"),
            (#"{"id":7,"verb":"look","colour":1}"#, "7", "member “colour”"),
            (#"{"id":7,"verb":"look","arguments":[]}"#, "7", "“arguments” must be an object"),
            (#"{"id":{},"verb":"look"}"#, nil, "“id” must be"),
            (#"{"id":7,"verb":"label","arguments":{"words":[1]}}"#, "7", "words must be"),
            (#"{"id":7,"id":8,"verb":"look"}"#, nil, "The line is not JSON"),
            (String(repeating: "x", count: 2_000), nil, "longer than 1000 bytes"),
        ] as [(String, String?, String)])
    func badLines(line: String, id: String?, message: String) async throws {
        let lines = try await answers("\n" + line + "\n", #"{"id":9,"verb":"look","arguments":null}"# + "\n")
        let error = try #require(lines.first)
        #expect(error.contains(#""type":"error""#) && error.contains(#""line":2"#) && error.contains(message))
        #expect(error.contains(#""category":"usage""#))
        #expect(error.contains(#""id":"#) == (id != nil))
        #expect(lines.last == #"{"id":9,"type":"done"}"#)
    }

    @Test("Arguments of the wrong kind are refused by the verb")
    func wrongArguments() async throws {
        let lines = try await answers(#"{"id":1,"verb":"turn","arguments":{"on":"yes"}}"# + "\n")
        #expect(lines.last?.contains("on must be true or false") == true)
    }

    @Test("A secret is in no line of the output")
    func secrets() async throws {
        let lines = try await answers(#"{"id":1,"verb":"unlock","arguments":{"code":"hunter2"}}"# + "\n")
        #expect(lines.last == #"{"id":1,"type":"done"}"#)
        #expect(!lines.contains { $0.contains("hunter2") })
    }

    @Test("When the peer has closed its end, the session ends")
    func gone() async throws {
        struct Gone: Error {}
        let session = JSONLinesSession(try Catalog([]), version: "1") { _ in throw Gone() }
        await #expect(throws: Gone.self) { try await session.run(AsyncStream { $0.finish() }) }
    }

    @Test("Changes of another screen during a request don't belong to the request")
    func otherScreen() async throws {
        var written: [String] = []
        let lamp = LampController()
        let catalog = try Catalog([
            .screen(SwitchScreen.self) { _ in
                SwitchController {
                    lamp.state.isLit = true
                    // As under load: the lamp is shown before the request ends.
                    while !written.contains(where: { $0.contains(#""isLit":true"#) }) { await Task.yield() }
                }
            },
            .screen(LampScreen.self) { _ in lamp },
        ])
        let session = JSONLinesSession(catalog, version: "1") { written.append($0) }
        try await session.run(
            AsyncStream { stream in
                stream.yield(Array(#"{"id":1,"verb":"watch"}"#.utf8) + [0x0A] + Array(#"{"id":2,"verb":"look"}"#.utf8))
                stream.finish()
            })
        #expect(written.contains(#"{"screen":"lamp","state":{"isLit":true},"type":"state"}"#))
        #expect(written.contains(#"{"id":2,"screen":"switch","state":{"isOn":false},"type":"state"}"#))
        #expect(!written.contains { $0.hasPrefix(#"{"id":2,"screen":"lamp""#) })
        #expect(written.suffix(2) == [#"{"id":2,"type":"done"}"#, #"{"type":"end"}"#])
    }

    @Test("A screen that the request has opened in front answers it, with its id")
    func opened() async throws {
        var written: [String] = []
        let catalog = try Catalog([
            .screen(SwitchScreen.self) { opening in SwitchController { try opening.open(LampScreen.self, with: ()) } },
            .screen(LampScreen.self) { _ in LampController() },
        ])
        let session = JSONLinesSession(catalog, version: "1") { written.append($0) }
        try await session.run(
            AsyncStream { stream in
                stream.yield(Array(#"{"id":1,"verb":"look"}"#.utf8))
                stream.finish()
            })
        #expect(
            written.suffix(3) == [
                #"{"id":1,"screen":"lamp","state":{"isLit":false},"type":"state"}"#, #"{"id":1,"type":"done"}"#,
                #"{"type":"end"}"#,
            ])
    }

    @Test("News is sent as it arrives, and nothing after the end")
    func news() async throws {
        let (news, source) = AsyncStream.makeStream(of: String.self)
        let (input, peer) = AsyncStream.makeStream(of: [UInt8].self)
        var written: [String] = []
        let session = JSONLinesSession(try Catalog([]), version: "1", news: { news }) { line in
            written.append(line)
            if line.contains(#""news""#) { peer.finish() }
        }
        source.yield("2 new conflicts.")
        try await session.run(input)
        #expect(written.dropFirst() == [#"{"message":"2 new conflicts.","type":"news"}"#, #"{"type":"end"}"#])
    }

    @Test(
        "A request is cancelled while it runs or waits; the next one is performed",
        arguments: [true, false])
    func cancelling(atOnce: Bool) async throws {
        var written: [String] = []
        let catalog = try Catalog([
            .screen(SwitchScreen.self) { _ in SwitchController { try await Task.sleep(for: .seconds(3_600)) } }
        ])
        let session = JSONLinesSession(catalog, version: "1") { written.append($0) }
        let lines = [
            #"{"id":1,"verb":"look"}"#, #"{"id":2,"cancel":1}"#, #"{"id":3,"verb":"turn","arguments":{"on":true}}"#,
            #"{"id":4,"cancel":"nobody"}"#,
        ].map { $0 + "\n" }
        let input = AsyncStream { stream in
            for chunk in atOnce ? [lines.joined()] : lines { stream.yield(Array(chunk.utf8)) }
            stream.finish()
        }
        try await session.run(input)
        let interrupted =
            #"{"category":"failed","id":1,"message":"Interrupted.","type":"error"}"#
        #expect(written.contains(interrupted))
        #expect(written.contains(#"{"id":2,"type":"done"}"#))
        #expect(written.contains(#"{"id":3,"notice":"Turned on.","type":"done"}"#))
        let unknown =
            #"{"category":"not-found","id":4,"message":"No request with this id is under way.","type":"error"}"#
        #expect(written.contains(unknown))
        #expect(written.last == #"{"type":"end"}"#)
    }

    @Test("A change by another session is sent without an id")
    func unsolicited() async throws {
        var written: [String] = []
        let catalog = try Catalog([.screen(SwitchScreen.self) { _ in SwitchController() }])
        let other = Coordinator(catalog) { Issue.record($0) }
        other.attach(JSONLinesViews { written.append($0) })
        try await other.perform("turn", ["on": .flag(true)])
        #expect(
            written.last == #"{"screen":"switch","state":{"isOn":true,"notice":"Turned on."},"type":"state"}"#)
    }
}
