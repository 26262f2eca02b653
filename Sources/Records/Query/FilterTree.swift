/// The states that words of a filter name. A list shows no closed and no hidden records unless its filter names such a
/// state.
struct NamedStates: OptionSet, Sendable {
    let rawValue: Int

    /// A word named the statuses to show.
    static let status = NamedStates(rawValue: 1)
    /// A word named records that are hidden for now.
    static let waiting = NamedStates(rawValue: 2)
}

/// The parsed conditions of a filter, with the states that each of them names.
///
/// In `done or +shop`, only the branch `done` shows completed records: a matching record is exempt from the default states
/// if a branch that names a state matches it. A negated group is one condition.
indirect enum FilterTree: Sendable {
    /// A condition and the states that its words name.
    case condition(Term, NamedStates)
    /// All of these hold.
    case all([FilterTree])
    /// At least one of these holds.
    case any([FilterTree])
    /// An odd number of these conditions hold (xor).
    case xor([FilterTree])

    /// The parts of a conjunction; of any other tree, only it.
    var conjuncts: [FilterTree] { if case .all(let trees) = self { trees } else { [self] } }

    /// The condition, without the default states.
    var term: Term {
        switch self {
        case .condition(let term, _): term
        case .all(let trees): .all(trees.flatMap(\.term.conjuncts))
        case .any(let trees): .one(of: trees.map(\.term))
        case .xor(let trees): .xor(trees.map(\.term))
        }
    }

    /// The states that any of its words names.
    var names: NamedStates {
        switch self {
        case .condition(_, let names): names
        case .all(let trees), .any(let trees), .xor(let trees): trees.reduce(into: []) { $0.formUnion($1.names) }
        }
    }

    /// Returns the condition under which a record that matches the tree is exempt from the default states: a branch that
    /// names one of `states` matches it. `.all([])`: always exempt; nil: never.
    func exemption(for states: NamedStates) -> Term? {
        switch self {
        case .condition(_, let names): return names.isDisjoint(with: states) ? nil : .all([])
        case .all(let trees):
            let exemptions = trees.compactMap { $0.exemption(for: states) }
            if exemptions.isEmpty { return nil }
            return exemptions.contains(.all([])) ? .all([]) : .one(of: exemptions)
        case .any(let trees), .xor(let trees):
            let exemptions = trees.map { $0.exemption(for: states) }
            if exemptions.allSatisfy({ $0 == .all([]) }) { return .all([]) }
            let branches = zip(trees, exemptions).compactMap { tree, exemption in
                exemption.map { Term.all(tree.term.conjuncts + $0.conjuncts) }
            }
            return branches.isEmpty ? nil : .one(of: branches)
        }
    }
}
