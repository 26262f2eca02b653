extension [String] {
    /// Returns the texts as a part of a sentence: `tasks, notes and books`.
    ///
    /// - Parameter conjunction: The word before the last one.
    package func joined(conjunction: String) -> String {
        let last = suffix(2).joined(separator: " \(conjunction) ")
        return (dropLast(2) + [last]).joined(separator: ", ")
    }
}
