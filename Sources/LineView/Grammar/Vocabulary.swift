import ControllerKit
import TextMerge

/// The names that are valid in one place. Unambiguous prefixes are accepted.
struct Vocabulary: Sendable {
    /// The kind of the names, for messages: "command".
    let noun: String
    let names: [String]
    /// Other names that are accepted whole, in lower case, with the name that each means.
    var otherNames: [String: String] = [:]
    /// The names of commands in other programs, in lower case, with the name in this program. They are suggested, not
    /// accepted.
    var namesElsewhere: [String: String] = [:]

    /// Returns the name for a typed word.
    ///
    /// - Throws: `Failure` of category `usage` that lists the possible names or suggests the nearest one.
    func name(meantBy typed: String) throws(Failure) -> String {
        if names.contains(typed) { return typed }
        if let name = otherNames[typed.lowercased()] { return name }
        let longer = names.filter { !typed.isEmpty && $0.hasPrefix(typed) }
        let elsewhere = namesElsewhere[typed.lowercased()]
        // Before longer names: `complete` means `done`, and isn't an abbreviation of `completions`.
        if let elsewhere, !longer.contains(elsewhere) { throw unknown(typed, meant: elsewhere) }
        let others = otherNames.filter { $0.key.hasPrefix(typed) && !longer.contains($0.value) }.map(\.key)
        // `ex` could be `export` or another name of `quit`.
        if !longer.isEmpty, !others.isEmpty { throw ambiguous(typed, longer + others) }
        if let only = longer.first, longer.count == 1 { return only }
        // A singular is preferred to its plural.
        if let singular = longer.first(where: { one in longer.allSatisfy { $0 == one || $0 == one + "s" } }) {
            return singular
        }
        guard longer.isEmpty else { throw ambiguous(typed, longer) }
        if typed.hasPrefix("-") { throw Failure(.usage, "“\(typed)” isn't a \(noun). Options come after the \(noun).") }
        throw unknown(typed, meant: nearest(to: typed))
    }

    /// Returns the failure for an unknown name, with all names: for few names.
    func unknown(_ typed: String) -> Failure {
        let last = names.suffix(2).joined(separator: " or ")
        return Failure(
            .usage, "Unknown \(noun) “\(typed)”: use \((names.dropLast(2) + [last]).joined(separator: ", ")).")
    }

    private func ambiguous(_ typed: String, _ words: [String]) -> Failure {
        Failure(.usage, "“\(typed)” is ambiguous: \(words.sorted().joined(separator: ", ")).")
    }

    private func unknown(_ typed: String, meant: String?) -> Failure {
        let list = noun.hasPrefix("command") ? " `help` lists them all." : ""
        return Failure(.usage, "Unknown \(noun) “\(typed)”." + (meant.map { " Did you mean “\($0)”?" } ?? list))
    }

    /// Returns the name that a mistyped word probably means; nil: none is near enough.
    func nearest(to typed: String) -> String? {
        // Sorted, so that the suggestion doesn't depend on the order of the names.
        Suggestion.nearest(typed, among: names.sorted())
    }
}
