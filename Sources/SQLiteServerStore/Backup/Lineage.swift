/// What a database knows of the epochs before it, and of its own: up to which version each space was then what it is now.
///
/// A value; pure.
struct Lineage: Equatable {
    /// By epoch, then by the space's id; a space that an epoch doesn't name has nothing in common with it.
    var epochs: [String: [String: Int64]]

    /// What is to be added to this one, a backup's, when it takes the place of `other`: the epochs that only `other` knows,
    /// with what each has in common with the backup, so that devices of those times are told how much to compare.
    ///
    /// Whoever has a past in common up to some version has it up to there with everybody who has it with one of them: so
    /// of three databases, two have at least in common what both have with the third.
    func additions(from other: Lineage) -> [String: [String: Int64]] {
        let common = common(with: other)
        return other.epochs.filter { epochs[$0.key] == nil }.mapValues { former in
            former.merging(common) { min($0, $1) }.filter { former[$0.key] != nil && common[$0.key] != nil }
        }
    }

    /// Up to which version each space is the same in both, as far as an epoch that both know tells.
    private func common(with other: Lineage) -> [String: Int64] {
        var common: [String: Int64] = [:]
        for (epoch, versions) in epochs {
            guard let others = other.epochs[epoch] else { continue }
            for (space, version) in versions {
                guard let theirs = others[space] else { continue }
                common[space] = max(common[space] ?? 0, min(version, theirs))
            }
        }
        return common
    }
}
