import ControllerKit
import Controllers
import LineView
import Terminal
import WebPageView

enum NotesLines {
    /// Shows the draft, which the editor opens.
    static let renderer = LineRenderer(
        NotesScreen.self,
        draft: { state in state.draft.map { LineDraft(argument: "text", text: $0.text, ending: "md") } },
        news: { _, _, _ in [] },
        lines: { state, page in state.notice.map { page.lines($0) } ?? [] })
}

enum NotesPage {
    /// The forms of the screen are in the contents of the others.
    static let renderer = WebRenderer(
        NotesScreen.self, title: "Notes", place: .elsewhere,
        placed: ["note", "append", "prepend", "check", "pin", "unpin"], content: { _, _ in nil })
}
