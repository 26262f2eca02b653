import ControllerKit
import Controllers

extension LinePolish {
    /// An export as it is, byte for byte: it is for programs.
    static let transfer = LinePolish(
        TransferScreen.self, plain: { $0.document.map { PlainAnswer(text: $0) } },
        layout: { state, _ in state.document.map { [$0] } ?? [] })
}
