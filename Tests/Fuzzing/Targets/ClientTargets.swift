internal import CanonicalJSON
internal import ControllerKit
internal import JSONLinesView
internal import MCPView

// Lines from programs: JSON lines, and the Model Context Protocol.
extension FuzzTarget {
    static let client = [
        FuzzTarget(bytes: "lines") { input in
            guard input.count > 2 else { return }
            let (cut, limit, bytes) = (1 + Int(input[0]), 1 + Int(input[1]), input[2...])
            var (whole, pieces) = (LineSplitter(maximumLength: limit), LineSplitter(maximumLength: limit))
            var lines = whole.lines(completedBy: bytes)
            if let rest = whole.remainder() { lines.append(rest) }
            var found: [LineSplitter.Line] = []
            for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: cut) {
                found += pieces.lines(completedBy: bytes[start..<min(start + cut, bytes.endIndex)])
            }
            if let rest = pieces.remainder() { found.append(rest) }
            try expect(found == lines, "the lines depend on how they arrive")
            for case .bytes(let line) in lines { try expect(line.count <= limit, "a line of \(line.count) bytes") }
        },
        FuzzTarget(bytes: "json-lines") { input in
            guard let members = try? JSONValue(parsing: input).object else { return }
            do {
                let id = try RequestID(members["id"])
                try expect((id == nil) == (members["id"]?.isNull ?? true), "an id gets lost")
                if try Request.cancelled(members) != nil { return }
                let request = try Request(members, id: id, catalog: try switches.get())
                try expect(request.screen == SwitchScreen.name, "a request for another screen")
                try expect(members["verb"]?.string == request.verb, "a request for another verb")
            } catch let failure as Failure {
                try expect(!failure.message.isEmpty, "a failure without a message")
            }
        },
        FuzzTarget(bytes: "mcp") { input in
            do {
                switch try Message(parsing: input) {
                case .request(let id, _, let params):
                    try expect(id.string != nil || id.integer != nil, "the id \(id) is neither a text nor an integer")
                    if let caller = try MessageSender(params: params) { try check(caller) }
                    try check(try MessageSender(initialize: params))
                case .response(let id, _):
                    try expect(id.string != nil || id.integer != nil, "the id \(id) is neither a text nor an integer")
                case .notification: break
                }
            } catch let error as RPCError {
                let reply = error.reply().text
                _ = try mustParse(reply) { try JSONValue(parsing: reply) }
            }
        },
    ]

    private static func check(_ caller: MessageSender) throws {
        try expect(!caller.name.isEmpty, "a caller without a name")
        try expect(caller.name.unicodeScalars.count <= 64, "a caller's name is long")
        try expect(!caller.name.contains(where: \.isNewline), "a caller's name has several lines")
    }

    /// A catalogue with arguments of each kind.
    @MainActor private static let switches = Result {
        try Catalog([.screen(SwitchScreen.self) { _ in SwitchController() }])
    }
}

private enum SwitchScreen: Screen {
    static let name = "switch"
    static let summary = "A switch."
    struct State: ScreenState { var isOn = false }
    enum Intent: Sendable { case look, turn(Bool), label([String]), unlock(String) }
    static let verbs: [Verb<Intent>] = [
        Verb("look", help: "Look.") { .look },
        Verb("turn", .flag("on"), answer: .notice, help: "Turn it.") { .turn($0) },
        Verb("label", .rest(.text("words")), answer: .notice, help: "Label it.") { .label($0) },
        Verb("unlock", .secret("code"), answer: .notice, help: "Unlock it.") { .unlock($0) },
    ]
}

private final class SwitchController: Controller {
    typealias Screen = SwitchScreen
    let model = Model(SwitchScreen.State())
    func handle(_ intent: SwitchScreen.Intent) async throws {}
}
