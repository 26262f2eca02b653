/// What a session has open, in a form that lasts beyond the process: each screen with the verb that it showed last.
///
/// Only verbs that change nothing are remembered (`VerbTraits.readOnly`), so that restoring a session repeats no edit.
public struct SessionMemory: Codable, Equatable, Sendable {
    /// The screens, the one in front last.
    public var screens: [Reading] = []

    /// A verb that a screen carried out last, with its arguments: its window and its context.
    public struct Reading: Codable, Equatable, Sendable {
        /// The screen's name.
        public let screen: String
        /// The verb.
        public let verb: String
        /// The verb's arguments.
        public let values: ArgumentValues

        /// A verb on a screen.
        public init(screen: String, verb: String, values: ArgumentValues = [:]) {
            (self.screen, self.verb, self.values) = (screen, verb, values)
        }
    }

    /// Nothing is open.
    public init() {}
}

/// The screen that a session begins with, by a verb that shows it.
public struct FirstScreen: Equatable, Sendable {
    /// The screen's name.
    public let screen: String
    /// The verb that shows it.
    public let verb: String

    /// A screen and the verb that shows it; it must change nothing.
    public init<S: Screen>(_ screen: S.Type, verb: String) { (self.screen, self.verb) = (S.name, verb) }
}

extension Coordinator {
    /// Opens the screen that the program's state asks for, see `Catalog.beginning`.
    ///
    /// - Returns: Whether it asks for one.
    /// - Throws: As `perform`.
    @discardableResult
    public func begin() async throws -> Bool {
        guard let first = await catalog.first() else { return false }
        try await perform(first.verb, on: first.screen)
        return true
    }

    /// Opens again what a session had open, in its order, as far as it can be shown: a record that was deleted meanwhile is
    /// left out.
    public func restore(_ memory: SessionMemory) async {
        for reading in memory.screens {
            // What can't be shown any more isn't opened.
            _ = try? await perform(reading.verb, reading.values, on: reading.screen)
        }
    }
}
