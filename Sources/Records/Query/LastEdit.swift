/// The last edit of a record in filters and orders: `edited:today`, `edited>=mon`, `modified.after:yesterday`,
/// `sort:-edited`. No field stores it; a record type may declare a field of the same name, which takes precedence.
enum LastEdit {
    /// The name.
    static let name = "edited"
    /// The name in Taskwarrior. Imports fill a field of this name, which edits don't update.
    private static let nameElsewhere = "modified"

    /// The modifiers of Taskwarrior, with the relations that they mean.
    private static let modifiers: [String: Relation] = [
        "before": .less, "below": .less, "under": .less, "by": .atMost, "after": .greater, "above": .greater,
        "over": .greater, "is": .equal, "equals": .equal, "isnt": .notEqual, "not": .notEqual,
    ]

    /// Returns whether a name means the last edit.
    static func isMeant(by name: String, in catalog: FieldCatalog) -> Bool {
        name == nameElsewhere || name == Self.name && catalog.field(typed: name) == nil
    }

    /// Returns the relation that a typed name with a sign means, such as `modified.after` with `:`; nil: the name means
    /// something else.
    static func relation(of typed: String, _ relation: Relation, in catalog: FieldCatalog) -> Relation? {
        if isMeant(by: typed, in: catalog) { return relation }
        guard relation == .equal, let dot = typed.lastIndex(of: "."), isMeant(by: String(typed[..<dot]), in: catalog)
        else { return nil }
        return modifiers[String(typed[typed.index(after: dot)...])]
    }
}
