extension Cache {
    /// Adds to what the next process of this home that talks to the person tells; see `LocalStore.takeNotice`.
    public func add(notice: String) throws {
        let before = try meta("notice")
        // Said once is enough, however often it happens until somebody looks.
        if let before, before.contains(notice) { return }
        try setMeta("notice", [before, notice].compactMap(\.self).joined(separator: "\n"))
    }
}
