import ControllerKit

/// The tutorial's controller.
final class SquareController: Controller {
    typealias Screen = SquareScreen
    let model = Model(SquareScreen.State())

    func handle(_ intent: SquareScreen.Intent) async throws {
        switch intent {
        case .move(let x, let y): place(x, y)
        case .restore: place(5, 5)
        }
    }

    private func place(_ x: Double, _ y: Double) {
        state = SquareScreen.State(x: x, y: y, positionIsValid: isInsideZone(x: x, y: y))
    }
}
