import ControllerKit
import Terminal
import TestSupport
import Testing

@testable import LineView

/// A screen with verbs of the same names as the shelf.
private enum BoxScreen: Screen {
    struct State: ScreenState { var notice: String? }
    enum Intent: Sendable { case list, read(String) }
    static let name = "box"
    static let summary = "Letters in a box."
    static let verbs: [Verb<Intent>] = [
        Verb("list", answer: .notice, help: "Show the letters.") { .list },
        Verb("read", .record("letter"), answer: .notice, help: "Read a letter.") { .read($0) },
    ]
}

private final class BoxController: Controller {
    typealias Screen = BoxScreen
    let model = Model(BoxScreen.State())
    func handle(_ intent: BoxScreen.Intent) async throws {
        switch intent {
        case .list: state.notice = "Two letters."
        case .read(let letter): state.notice = "Read letter \(letter)."
        }
    }
}

/// A screen whose verb is reserved by a prompt.
private enum DoorScreen: Screen {
    struct State: ScreenState {}
    enum Intent: Sendable { case leave }
    static let name = "door"
    static let summary = "A door."
    static let verbs: [Verb<Intent>] = [Verb("quit", help: "Leave.") { .leave }]
}

private final class DoorController: Controller {
    typealias Screen = DoorScreen
    let model = Model(DoorScreen.State())
    func handle(_ intent: DoorScreen.Intent) async throws {}
}

@MainActor
@Suite("Verbs of the same name on two screens")
struct SharedVerbNamesTests {
    private let terminal = ScriptedTerminal()

    private func session() throws -> LineSession {
        let catalog = try Catalog([
            .screen(ShelfScreen.self) { _ in ShelfController() }, .screen(BoxScreen.self) { _ in BoxController() },
        ])
        return try LineSession(catalog, of: .testing, terminal: terminal)
    }

    @Test("They are typed after their screens; others are typed alone")
    func qualified() async throws {
        let session = try session()
        #expect(await session.say(["box", "read", "3"]) == .ok)
        #expect(await session.say(["shelf", "read", "3"]) == .ok)
        #expect(await session.say(["notes", "3"]) == .ok)
        #expect(terminal.messages == "Read letter 3.\nRead 3\nNotes on 3: none\n")
    }

    @Test("Such a verb without a screen is refused; the message lists the possible commands")
    func ambiguous() async throws {
        #expect(await (try session()).say(["read", "3"]) == .usage)
        #expect(
            terminal.messages == "Several screens have the command “read”. Use “shelf read” or “box read”.\n")
    }

    @Test("Usage and help name the screen, too")
    func help() async throws {
        let session = try session()
        #expect(await session.say(["help", "box", "read"]) == .ok)
        #expect(terminal.data.hasPrefix("box read <letter>\n"))
        #expect(await session.say(["box", "read"]) == .usage)
        #expect(terminal.messages.hasSuffix("Usage: box read <letter>\n"))
    }

    @Test(
        "Tab completes the screen, then its verb",
        arguments: [("bo", "box "), ("box r", "box read "), ("shelf li", "shelf list "), ("no", "notes ")])
    func completion(line: String, after: String) async throws {
        let completion = await (try session()).language.complete(line)
        #expect(line.dropLast(completion.removed) + completion.inserted == after)
    }

    @Test("A verb with the name of a prompt's own command is refused when the session is created")
    func reserved() throws {
        let catalog = try Catalog([.screen(DoorScreen.self) { _ in DoorController() }])
        #expect(throws: CatalogError.nameReserved("quit")) {
            try LineSession(catalog, of: .testing, terminal: terminal)
        }
    }
}
