import ControllerKit
import Controllers

extension LinePolish {
    /// An export as it is, byte for byte, where a program reads it; on a terminal without control characters.
    static let transfer = LinePolish(
        TransferScreen.self, plain: { text(of: $0).map { PlainAnswer(text: $0) } },
        layout: { state, page in text(of: state).map { [$0.shown(on: page)] } ?? [] })

    /// The text without the line feed that ends it, which is written behind every line.
    private static func text(of state: TransferScreen.State) -> String? {
        state.document.map { $0.unicodeScalars.last == "\n" ? String($0.unicodeScalars.dropLast()) : $0 }
    }
}
