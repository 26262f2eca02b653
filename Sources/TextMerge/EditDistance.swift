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
