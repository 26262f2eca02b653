public import ControllerKit

extension Program {
    /// A program of its own, for tests of what is generic: nothing of it may call itself otherwise.
    public static let testing = Program(
        name: "Shelf", command: "shelf", version: "1", day: "2026-01-01", related: ["editrc(5)"])
}
