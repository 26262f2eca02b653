extension Edit {
    /// Whether it refers to other records by what was typed: numbers, or beginnings of ids.
    public var namesRecords: Bool { !references.isEmpty }

    /// The names of the fields that get a value, sorted.
    public var namesOfValues: [String] {
        (fields.sortedNames.filter { fields[$0] != .null } + references.keys).sorted()
    }

    /// Returns the edit with full ids in place of the typed numbers and beginnings of ids.
    ///
    /// - Parameter id: Returns the full id of the record that a typed text names.
    /// - Throws: What `id` throws.
    public func resolvingReferences(_ id: (String) throws -> String) throws -> Edit {
        var edit = self
        edit.references = try references.mapValues { try $0.resolved(id) }
        return edit
    }

    /// Applies the changes of references to the fields of a record.
    func applyReferences(to fields: inout JSONObject) {
        for (name, change) in references { fields[name] = change.applied(to: fields[name]) }
    }
}
