/// What a database knows of the epochs before it, and of its own: up to which version each space was then what it is now.
///
/// A value; pure.
struct Lineage: Equatable {
    /// By epoch, then by the space's id; a space that an epoch doesn't name has nothing in common with it.
    var epochs: [String: [String: Int64]]

    /// What must be added to this lineage, a backup's, when it replaces `other`: the epochs that only `other` knows,
    /// with what each has in common with the backup, so that devices of those epochs know how much to compare.
    ///
    /// Databases that are equal up to some version are equal up to that version with every database that is equal to
    /// one of them. So of three databases, two have at least in common what both have with the third.
    func additions(from other: Lineage) -> [String: [String: Int64]] {
        let common = common(with: other)
        return other.epochs.filter { epochs[$0.key] == nil }.mapValues { former in
            former.merging(common) { min($0, $1) }.filter { former[$0.key] != nil && common[$0.key] != nil }
        }
    }

    /// The version up to which each space is the same in both, as far as a common epoch shows it.
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
