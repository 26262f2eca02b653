import ControllerKit

/// A screen with all kinds of arguments, whose controller returns what it received.
enum ShelfScreen: Screen {
    static let name = "shelf"
    static let summary = "Books on a shelf."

    struct State: ScreenState {
        struct Book: Codable, Equatable {
            var number: Int
            var title: String
            var author: String?
        }
        var books = [Book(number: 1, title: "Emma", author: "Austen"), Book(number: 2, title: "Beowulf")]
        var isSorted = false
        var letter: String?
        var notice: String?
    }

    enum Intent: Sendable, Equatable {
        case list, put(title: [String], pages: Int?, all: Bool), read(String), unlock(name: String, code: String)
        case notes(String, body: String?)
        case keep(String)
        case bind(String)
        case write(String?)
        case fail(String)
    }

    static let verbs: [Verb<Intent>] = [
        Verb("list", help: "Show the books.") { .list },
        Verb(
            "put", .rest(.text("title"), isRequired: true), .option(.integer("pages", help: "How many.")),
            .flag("all"), answer: .notice, help: "Put a book on the shelf."
        ) { .put(title: $0, pages: $1, all: $2) },
        Verb("read", .record("book"), answer: .notice, help: "Read a book.") { .read($0) },
        Verb(
            "unlock", .text("name"), .secret("code"), answer: .notice, help: "Unlock the shelf.",
            namesElsewhere: ["open"]
        ) {
            .unlock(name: $0, code: $1)
        },
        Verb("secure", .text("name"), .secret("code", isNew: true), answer: .notice, help: "Give it a new code.") {
            .unlock(name: $0, code: $1)
        },
        Verb("notes", .record("book"), .option(.contents("body")), answer: .notice, help: "Take notes.") {
            .notes($0, body: $1)
        },
        Verb("keep", .choice("form", ["paper", "vellum"]), .contents("text"), answer: .notice, help: "Keep a text.") {
            .keep($1)
        },
        Verb("bind", .contents("pages", acceptsFolder: true), answer: .notice, help: "Bind pages.") { .bind($0) },
        Verb("write", .option(.contents("letter")), answer: .notice, help: "Write a letter.") { .write($0) },
        Verb("fail", .choice("how", ["conflict", "unreachable"]), answer: .notice, help: "Fail.") { .fail($0) },
    ]
}

@MainActor
final class ShelfController: Controller {
    typealias Screen = ShelfScreen
    let model = Model(ShelfScreen.State())
    private let unlocked: (String) -> Void

    init(unlocked: @escaping (String) -> Void = { _ in }) { self.unlocked = unlocked }

    func check(_ intent: ShelfScreen.Intent) async throws {
        if case .unlock("stranger", _) = intent { throw Failure(.usage, "A stranger has no code.") }
    }

    func handle(_ intent: ShelfScreen.Intent) async throws {
        state.notice = nil
        switch intent {
        case .list: break
        case .put(let title, let pages, let all):
            state.notice = "Put \(title.joined(separator: "|")), \(pages.map(String.init) ?? "no") pages, all: \(all)"
        case .read(let book): state.notice = "Read \(book)"
        case .unlock(_, let code): unlocked(code)
        case .notes(let book, let body): state.notice = "Notes on \(book): \(body ?? "none")"
        case .keep(let text): state.notice = "Kept \(text)"
        case .bind(let pages): state.notice = "Bound \(pages)"
        case .write(nil):
            state.letter = "Dear …"
            throw Failure(.usage, "The letter is missing.")
        case .write("no"?): throw Failure(.rejected, "That is no letter.")
        case .write(let letter?): state.notice = "Wrote \(letter)"
        case .fail(let how): throw Failure(Failure.Category(rawValue: how) ?? .failed, "It is \(how).")
        }
    }
}
