extension Cache {
    /// Adds to what the next process of this home that talks to the person tells; see `LocalStore.takeNotice`.
    public func add(notice: String) throws {
        let before = try meta("notice")
        // Said once is enough, however often it happens until somebody looks.
        if let before, before.contains(notice) { return }
        try setMeta("notice", [before, notice].compactMap(\.self).joined(separator: "\n"))
    }
}

extension Cache {
    /// What became of the cache that was here before, if this one is new and hasn't yet been filled from the server; nil:
    /// it holds all that this home has seen.
    public func rebuilt() throws -> String? { try state().remote == nil ? nil : meta("rebuilt") }
}
