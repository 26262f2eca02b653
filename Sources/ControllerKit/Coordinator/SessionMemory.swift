/// The open screens of a session, to be stored beyond the process: each with its last verb.
///
/// Only `readOnly` verbs that aren't `remote` are stored: restoring a session repeats no edit and waits for no server.
public struct SessionMemory: Codable, Equatable, Sendable {
    /// The screens, the one in front last.
    public var screens: [Reading] = []

    /// The last verb of a screen with its arguments, which determine its window and its context.
    public struct Reading: Codable, Equatable, Sendable {
        /// The screen's name.
        public let screen: String
        /// The verb.
        public let verb: String
        /// The verb's arguments.
        public let values: ArgumentValues

        /// Creates a reading.
        public init(screen: String, verb: String, values: ArgumentValues = [:]) {
            (self.screen, self.verb, self.values) = (screen, verb, values)
        }
    }

    /// Creates the memory of a session without open screens.
    public init() {}
}

/// The screen that a session begins with and the verb that shows it.
public struct FirstScreen: Equatable, Sendable {
    /// The screen's name.
    public let screen: String
    /// The verb that shows it.
    public let verb: String

    /// Creates the value from a screen and a verb, which must change nothing.
    public init<S: Screen>(_ screen: S.Type, verb: String) { (self.screen, self.verb) = (S.name, verb) }
}

extension Coordinator {
    /// Opens the screen that the program's state requests, see `Catalog.beginning`.
    ///
    /// - Returns: Whether it requests one.
    /// - Throws: The errors of `perform`.
    @discardableResult
    public func begin() async throws -> Bool {
        guard let first = await catalog.first() else { return false }
        try await perform(first.verb, on: first.screen)
        return true
    }

    /// Opens the screens of a stored session, in their order. A reading that fails is skipped, for example because its
    /// record was deleted meanwhile.
    public func restore(_ memory: SessionMemory) async {
        for reading in memory.screens {
            // The error is ignored, so that the other screens are restored.
            _ = try? await perform(reading.verb, reading.values, on: reading.screen)
        }
    }
}
