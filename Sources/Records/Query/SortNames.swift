extension RecordTypes {
    /// The names that may follow `sort:`, for completion.
    package var sortNames: [String] {
        let urgency = completableTypes.isEmpty ? [] : [Urgency.name]
        return catalog.fields.filter(\.isTyped).map(\.name) + [LastEdit.name] + urgency
    }
}
