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
