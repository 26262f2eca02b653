import ControllerKit

/// The tutorial's screen: a square that can be moved, and that is valid inside its zone.
enum SquareScreen: Screen {
    static let name = "square"
    static let summary = "A square, and whether it is inside its zone."

    struct State: ScreenState {
        var x = 5.0
        var y = 5.0
        /// Derived, and stored: views show what is in the state.
        var positionIsValid = true
    }

    enum Intent: Sendable, Equatable {
        case move(x: Double, y: Double)
        case restore
    }

    static let verbs = [
        Verb("move", .number("x"), .number("y"), help: "Move the square.") { Intent.move(x: $0, y: $1) },
        Verb("restore", help: "Put it back.") { Intent.restore },
    ]
}
