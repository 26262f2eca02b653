import ControllerKit
import Controllers
import LineView
import Records
import Terminal
import WebPageView

enum TransferLines {
    /// Shows an export: unchanged for a program, with control characters replaced on a terminal.
    static let renderer = LineRenderer(
        TransferScreen.self, plain: { text(of: $0).map { PlainAnswer(text: $0) } },
        lines: { state, page in
            // The line feed that follows is added first, since it forms one line end with a final CR.
            text(of: state).map { [String(($0 + "\n").shown(on: page).unicodeScalars.dropLast())] } ?? []
        })

    /// Returns the text without the line feed at its end, which the view writes after every line.
    private static func text(of state: TransferScreen.State) -> String? {
        // By scalars: a final CR LF is one character, of which only the line feed is removed.
        state.document.map { $0.unicodeScalars.last == "\n" ? String($0.unicodeScalars.dropLast()) : $0 }
    }
}

enum TransferPage {
    /// Shows import and export, by a text field and a download.
    static let renderer = WebRenderer(
        TransferScreen.self, title: "Import and export", place: .further, placed: ["import", "export"],
        document: { state in state.document.map { WebDocument(name: "export.txt", text: $0) } },
        content: { state, frame in frame.templates.html("transfer", TransferModel(state, frame)) })
}

/// The results of the last import and export, for the template `transfer`.
struct TransferModel {
    let hasDocument: Bool
    let beginning: String
    let facts: [PageFact]
    let hasOutcome: Bool
    let bring: [FormModel]
    let exports: [FormModel]

    init(_ state: TransferScreen.State, _ frame: PageFrame) {
        hasDocument = state.document != nil
        // Only the beginning: the download has all of it.
        beginning = String((state.document ?? "").prefix(2_000))
        var facts: [PageFact] = []
        if let done = state.imported {
            facts += [
                PageFact("new", "\(done.created)"), PageFact("changed", "\(done.updated)"),
                PageFact("unchanged", "\(done.unchanged)"), PageFact("not applied, edited here", "\(done.kept)"),
            ]
            if done.unused > 0 { facts.append(PageFact("values without effect", "\(done.unused)")) }
        }
        if let done = state.exported {
            facts.append(PageFact("exported", done.records.counted("record")))
            // Sorted: the order of a dictionary differs in each process.
            facts += done.omittedRecords.sorted { $0.key < $1.key }.map {
                PageFact("not exported", "\($0.value) of \($0.key)")
            }
            facts += done.omittedFields.sorted { $0.key < $1.key }.map {
                PageFact("exported without \($0.key)", "\($0.value)")
            }
        }
        self.facts = facts
        hasOutcome = hasDocument || !facts.isEmpty
        bring = [frame.form("import", submit: "Import")].compactMap(\.self)
        exports = [frame.form("export", submit: "Export")].compactMap(\.self)
    }
}
