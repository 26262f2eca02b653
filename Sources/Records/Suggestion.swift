internal import TextMerge

/// "Did you mean …?"
public enum Suggestion {
    /// The candidate nearest to a mistyped word; nil if none is near. Case doesn't count; of equally near ones, the first.
    ///
    /// Near is: one slip in up to three letters, two in up to seven, else three; or the word starts the candidate.
    public static func nearest(_ word: String, among candidates: some Sequence<String>) -> String? {
        let word = word.lowercased()
        guard !word.isEmpty else { return nil }
        let allowed = word.count <= 3 ? 1 : word.count <= 7 ? 2 : 3
        var best: (candidate: String, distance: Int)?
        for candidate in candidates {
            let letters = candidate.lowercased()
            let slips = editDistance(word, letters)
            // A word cut short is nearer than one with as many slips.
            let distance = word.count > 1 && letters.starts(with: word) ? min(slips, 1) : slips
            guard distance <= allowed, distance < letters.count, distance < best?.distance ?? .max else { continue }
            best = (candidate, distance)
        }
        return best?.candidate
    }
}
