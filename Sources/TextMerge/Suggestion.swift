/// The suggestion of "Did you mean …?".
public enum Suggestion {
    /// Returns the candidate nearest to a mistyped word, or nil if none is near. Case is ignored; of equally near
    /// candidates, the first is returned.
    ///
    /// A candidate is near if it differs by one slip in a word of up to three letters, two in up to seven, else three,
    /// or if it begins with the word.
    public static func nearest(_ word: String, among candidates: some Sequence<String>) -> String? {
        let word = word.lowercased()
        guard !word.isEmpty else { return nil }
        let allowed = word.count <= 3 ? 1 : word.count <= 7 ? 2 : 3
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let letters = candidate.lowercased()
            let slips = editDistance(word, letters)
            // An abbreviation (two letters or more) counts as one slip, however many letters are missing.
            let distance = word.count > 1 && letters.starts(with: word) ? min(slips, 1) : slips
            // `distance < letters.count`: with as many slips as letters, a short candidate would match any word.
            guard distance <= allowed, distance < letters.count, distance < best?.distance ?? .max else { continue }
            best = (candidate, distance)
        }
        return best?.candidate
    }
}

/// Returns how many letters must be inserted, deleted, replaced or swapped with their neighbour to turn one word into
/// the other: the Damerau-Levenshtein distance in its variant of optimal string alignment, which edits no letter twice.
public func editDistance(_ one: some StringProtocol, _ other: some StringProtocol) -> Int {
    let (one, other) = (Array(one), Array(other))
    // The last two rows of the table are enough: a swap reaches back two rows, all else one.
    var beforeLast: [Int] = []
    var last = Array(0...other.count)
    for (i, letter) in one.enumerated() {
        var row = [i + 1]
        for (j, otherLetter) in other.enumerated() {
            let same = letter == otherLetter
            var cost = min(last[j + 1] + 1, row[j] + 1, last[j] + (same ? 0 : 1))
            if i > 0, j > 0, letter == other[j - 1], one[i - 1] == otherLetter {
                cost = min(cost, beforeLast[j - 1] + 1)
            }
            row.append(cost)
        }
        (beforeLast, last) = (last, row)
    }
    return last[other.count]
}
