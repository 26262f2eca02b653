/// Why nothing was imported.
public struct ImportError: Error, Equatable, Sendable, CustomStringConvertible {
    /// All that is wrong, in the order of the file.
    public let problems: [Problem]

    /// What is wrong with an entry, or with the file.
    public struct Problem: Equatable, Sendable, CustomStringConvertible {
        /// Which entry, counted from 1; nil for the file as a whole.
        public let entry: Int?
        /// Why it can't be taken, as a clause.
        public let reason: String

        /// The problem as a phrase.
        public var description: String { entry.map { "entry \($0): \(reason)" } ?? reason }
    }

    private static let shown = 5

    /// For the person: the first problems, and what to do.
    public var description: String {
        let rest = problems.count - Self.shown
        let lines = problems.prefix(Self.shown).map { "  \($0)" } + (rest > 0 ? ["  and \(rest) more"] : [])
        return "Nothing was imported:\n" + lines.joined(separator: "\n") + "\nMend or remove these, then import again."
    }
}
