import Controllers

/// The words of a task and of a filter that are known beforehand.
enum TaskWords {
    private static let days = [
        "today", "tomorrow", "mon", "tue", "wed", "thu", "fri", "sat", "sun", "eod", "eow", "eom", "eoy",
    ]
    private static let known = [
        ("project:", []), ("due:", days), ("priority:", ["H", "M", "L"]), ("scheduled:", days), ("wait:", days),
        ("until:", days), ("repeat:", ["daily", "weekdays", "weekly", "monthly", "yearly"]),
    ]

    /// The names of fields.
    static func names(beginning: String) -> [Offer] {
        known.map(\.0).filter { !beginning.isEmpty && $0.hasPrefix(beginning) }.map { Offer($0) }
    }

    /// The values of a field whose name stands there; nil where they are not known beforehand.
    static func values(beginning: String) -> [Offer]? {
        guard let (name, values) = known.first(where: { beginning.hasPrefix($0.0) }), !values.isEmpty else {
            return nil
        }
        return values.map { name + $0 }.filter { $0.hasPrefix(beginning) }.map { Offer($0) }
    }
}
