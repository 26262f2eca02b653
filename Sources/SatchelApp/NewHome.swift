internal import ControllerKit
internal import Controllers
internal import LineView

// A home that doesn't exist is created by the first command that can store something in it, so that a command that only
// reads, or a mistyped one, leaves no directory behind. If that command fails, `removeUnusedHome` removes the home again.
extension ClientProgram {
    /// Returns whether a command can store nothing in a home without records: it only reads, it needs a record, or it is
    /// unknown.
    ///
    /// - Parameters:
    ///   - words: The command of the process; empty: a session, which may store anything.
    ///   - catalog: The screens of the program.
    @MainActor
    func storesNothing(_ words: [String], _ catalog: Catalog) -> Bool {
        guard let typed = words.first?.lowercased(), !typed.isEmpty else { return false }
        // The commands of other front ends, such as the page, begin a session. Abbreviations are accepted.
        let others = views.filter { $0.type.name != LineSession.name }.flatMap { $0.type.commands(of: program) }
        if others.contains(where: { $0.name.hasPrefix(typed) || $0.otherNames.contains(typed) }) { return false }
        let verbs = catalog.commands.map { (names: [$0.spelling, $0.verb.name] + $0.verb.otherNames, verb: $0.verb) }
        let exact = verbs.filter { $0.names.contains(typed) }
        let meant = exact.isEmpty ? verbs.filter { $0.names.contains { $0.hasPrefix(typed) } } : exact
        return meant.allSatisfy { $0.verb.storesNothingWithoutRecords }
    }
}

extension VerbSignature {
    /// Whether the verb can store nothing in a home without records.
    fileprivate var storesNothingWithoutRecords: Bool {
        if !traits.isDisjoint(with: [.readOnly, .undoes]) { return true }
        return arguments.contains { $0.isRequired && ($0.kind == .record || $0.completion.namesRecords) }
    }
}
