import ControllerKit
import Controllers
import LineView
import Terminal
import WebPageView

enum WritingLines {
    /// Shows the draft, which the editor opens.
    static let renderer = LineRenderer(
        WritingScreen.self,
        draft: { state in state.draft.map { LineDraft(argument: "text", text: $0.text, ending: "md") } },
        news: { _, _, _ in [] },
        lines: { state, page in state.notice.map { page.lines($0) } ?? [] })
}

enum WritingPage {
    /// The forms of the screen are in the contents of the others.
    static let renderer = WebRenderer(
        WritingScreen.self, title: "Writing", place: .elsewhere,
        placed: ["note", "append", "prepend", "check", "pin", "unpin"], content: { _, _ in nil })
}
