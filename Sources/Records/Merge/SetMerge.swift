/// The merge of arrays whose order carries no meaning, such as tags.
enum SetMerge {
    /// The base with both sides' additions and without both sides' removals, each element once, sorted by canonical
    /// form; nil if one of the values is no array. An absent one is an empty set.
    static func merge(base: JSONValue?, _ one: JSONValue?, _ other: JSONValue?) -> JSONValue? {
        guard let base = elements(base), let one = elements(one), let other = elements(other) else { return nil }
        var merged = one.merging(other) { mine, _ in mine }
        for removed in base.keys where one[removed] == nil || other[removed] == nil { merged[removed] = nil }
        return .array(merged.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value))
    }

    /// The elements by canonical form.
    private static func elements(_ value: JSONValue?) -> [[UInt8]: JSONValue]? {
        guard let array = (value ?? []).array else { return nil }
        return Dictionary(array.map { (Array($0.canonical.utf8), $0) }) { first, _ in first }
    }
}
