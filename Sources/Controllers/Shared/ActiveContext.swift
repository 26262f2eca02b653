internal import ControllerKit
public import Notebook

/// The context within which a list or a report found its records, as a part of states.
public struct ActiveContext: Codable, Equatable, Sendable {
    /// Its name.
    public var name: String
    /// Its filter, quoted as in a command.
    public var filter: String

    /// Creates the part of a state.
    public init(name: String, filter: String) { (self.name, self.filter) = (name, filter) }

    /// Creates the part of a state; nil: no context applies.
    public init?(_ context: FilterContext?) {
        guard let context else { return nil }
        self.init(name: context.name, filter: CommandWords.joined(context.words))
    }

    /// The heading of a list: `Context house: project:house`.
    public var heading: String { "Context \(name): \(filter)" }
}
