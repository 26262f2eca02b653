import ControllerKit

/// The rule is a pure function: it can be tested without a view, and is correct before a view exists.
struct Zone: Codable, Equatable {
    var width = 10.0
    var height = 10.0

    func contains(x: Double, y: Double) -> Bool { (0...width).contains(x) && (0...height).contains(y) }
}

/// The contract: a square that can be moved, and that is valid inside its zone.
enum SquareScreen: Screen {
    static let name = "square"
    static let summary = "A square, and whether it is inside its zone."

    struct State: ScreenState {
        let x: Double
        let y: Double
        let zone: Zone
        /// Derived from the other values, and stored because views compute nothing.
        let positionIsValid: Bool

        init(x: Double = 5, y: Double = 5, zone: Zone = Zone()) {
            (self.x, self.y, self.zone) = (x, y, zone)
            positionIsValid = zone.contains(x: x, y: y)
        }
    }

    enum Intent: Sendable {
        case move(x: Double, y: Double)
        case restore
    }

    static let verbs = [
        Verb("move", .number("x"), .number("y"), help: "Move the square.") { Intent.move(x: $0, y: $1) },
        Verb("restore", help: "Put it back.") { Intent.restore },
    ]
}

/// The controller. A change of `state` is shown by all attached views.
final class SquareController: Controller {
    typealias Screen = SquareScreen
    let model = Model(SquareScreen.State())

    func handle(_ intent: SquareScreen.Intent) async throws {
        switch intent {
        case .move(let x, let y): state = SquareScreen.State(x: x, y: y)
        case .restore: state = SquareScreen.State()
        }
    }
}
