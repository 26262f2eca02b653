import ControllerKit
import TextMerge

/// The names that are valid in one place. Unambiguous prefixes are accepted.
struct Vocabulary: Sendable {
    /// The kind of the names, for messages: "command".
    let noun: String
    let names: [String]

    /// Returns the name for a typed word.
    ///
    /// - Throws: `Failure` of category `usage` that lists the possible names or suggests the nearest one.
    func name(meantBy said: String) throws(Failure) -> String {
        if names.contains(said) { return said }
        let longer = names.filter { !said.isEmpty && $0.hasPrefix(said) }
        if let only = longer.first, longer.count == 1 { return only }
        // A singular is preferred to its plural.
        if let singular = longer.first(where: { one in longer.allSatisfy { $0 == one || $0 == one + "s" } }) {
            return singular
        }
        guard longer.isEmpty else {
            throw Failure(.usage, "“\(said)” is ambiguous: \(longer.sorted().joined(separator: ", ")).")
        }
        if said.hasPrefix("-") { throw Failure(.usage, "“\(said)” isn't a \(noun). Options come after the \(noun).") }
        let meant = Self.elsewhere[said.lowercased()].flatMap { names.contains($0) ? $0 : nil } ?? nearest(to: said)
        let list = noun.hasPrefix("command") ? " `help` lists them all." : ""
        let next = meant.map { " Did you mean “\($0)”?" } ?? list
        throw Failure(.usage, "Unknown \(noun) “\(said)”." + next)
    }

    /// Names of other programs for the same commands.
    private static let elsewhere = [
        "exit": "quit", "bye": "quit", "delete": "rm", "remove": "rm", "ls": "list", "new": "add", "find": "search",
        "complete": "done", "modify": "edit", "info": "show",
    ]

    /// Returns the name with the smallest edit distance; nil: none is near enough.
    func nearest(to said: String) -> String? {
        // At most two errors, and fewer than the word has characters: any two short names would be near each other.
        let bound = min(2, max(said.count, 1) - 1)
        return names.map { (name: $0, distance: editDistance($0, said)) }
            .filter { $0.distance <= bound }
            // By name, too, so that the suggestion doesn't depend on the order of the names.
            .min { ($0.distance, $0.name) < ($1.distance, $1.name) }?.name
    }
}
