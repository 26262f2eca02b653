/// "Did you mean …?"
public enum Suggestion {
    /// The candidate nearest to a mistyped word; nil if none is near. Case doesn't count; of equally near ones, the first.
    ///
    /// Near is: one slip in up to three letters, two in up to seven, else three; or the word starts the candidate.
    public static func nearest(_ word: String, among candidates: some Sequence<String>) -> String? {
        let word = Array(word.lowercased())
        guard !word.isEmpty else { return nil }
        let allowed = word.count <= 3 ? 1 : word.count <= 7 ? 2 : 3
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let letters = Array(candidate.lowercased())
            let slips = distance(word, letters)
            // A word cut short is nearer than one with as many slips.
            let distance = word.count > 1 && letters.starts(with: word) ? min(slips, 1) : slips
            guard distance <= allowed, distance < letters.count, distance < best?.distance ?? .max else { continue }
            best = (candidate, distance)
        }
        return best?.candidate
    }

    /// How many insertions, deletions, replacements and swaps of neighbours lie between two words (Damerau-Levenshtein,
    /// each letter touched once).
    static func distance(_ one: [Character], _ other: [Character]) -> Int {
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
}
