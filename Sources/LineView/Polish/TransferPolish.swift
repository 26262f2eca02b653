import ControllerKit
import Controllers

extension LinePolish {
    /// An export as it is, byte for byte: it is for programs.
    static let transfer = LinePolish(TransferScreen.self) { state, _ in state.document.map { [$0] } ?? [] }
}
