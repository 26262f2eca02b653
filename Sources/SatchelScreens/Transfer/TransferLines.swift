import ControllerKit
import Controllers
import LineView
import Terminal

enum TransferLines {
    /// An export: byte for byte where a program reads it, with control characters replaced on a terminal.
    static let renderer = LineRenderer(
        TransferScreen.self, plain: { text(of: $0).map { PlainAnswer(text: $0) } },
        lines: { state, page in
            // Shown with the line feed that follows it, which belongs to a final CR.
            text(of: state).map { [String(($0 + "\n").shown(on: page).dropLast())] } ?? []
        })

    /// The text without the line feed that ends it, which is written behind every line.
    private static func text(of state: TransferScreen.State) -> String? {
        state.document.map { $0.unicodeScalars.last == "\n" ? String($0.unicodeScalars.dropLast()) : $0 }
    }
}
