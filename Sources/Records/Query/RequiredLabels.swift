extension Query {
    /// Returns words that the labels of each matching record contain: of each list, at least one. A store can find the
    /// records by an index of words; it finds more of them, since case, accents and the position in a text don't count.
    ///
    /// Only words of ASCII letters and digits, `-`, `_` and `.` are returned: others could be compared differently.
    ///
    /// - Parameter catalog: The fields of the listed types.
    package func requiredLabels(in catalog: FieldCatalog) -> [[String]] {
        terms.flatMap(\.conjuncts).compactMap { $0.requiredLabels(in: catalog) }
    }
}

extension Term {
    /// Returns the words of which the labels of a matching record contain at least one; nil: there is no such condition.
    fileprivate func requiredLabels(in catalog: FieldCatalog) -> [String]? {
        switch self {
        case .word(let field, let word), .path(let field, let word):
            guard catalog[field]?.isLabel == true, Self.isPlain(word) else { return nil }
            return [word]
        case .any(let terms):
            let lists = terms.map { $0.requiredLabels(in: catalog) }
            return lists.isEmpty || lists.contains { $0 == nil } ? nil : lists.compactMap(\.self).flatMap(\.self)
        case .all(let terms): return terms.lazy.compactMap { $0.requiredLabels(in: catalog) }.first
        case .collection, .open, .text, .equals, .matches, .textMatches, .absent, .date, .number, .conflicted,
            .reference, .state, .not, .xor:
            return nil
        }
    }

    /// Whether an index of words contains each word of a text, whatever the case.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.contains { isLetterOrDigit($0) }
            && text.utf8.allSatisfy { isLetterOrDigit($0) || [0x2D, 0x2E, 0x5F].contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}
