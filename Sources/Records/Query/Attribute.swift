/// The names that may stand before a colon in filters and edits.
enum Attribute: Equatable {
    case title, body, project, priority, status, tags
    /// How often a task comes again.
    case repeating
    /// A field that holds a moment.
    case date(String)
    /// Any other field, by its own name: `field.estimate:3`.
    case other(String)

    private static let dates = ["due", "entry", "end", "wait", "scheduled", "until", "modified", "start"]
    private static let others: [String: Attribute] = [
        "title": .title, "body": .body, "project": .project, "priority": .priority, "status": .status,
        "tag": .tags, "tags": .tags, TaskRecord.RepeatField.rule: .repeating,
    ]

    /// All names, for suggestions.
    static let names = dates + others.keys.sorted()

    /// Names of the same fields in other programs.
    private static let elsewhere = [
        "by": "due", "deadline": "due", "description": "title", "every": "repeat", "list": "project", "name": "title",
        "notes": "body", "on": "due", "recur": "repeat", "recurrence": "repeat", "text": "body",
    ]

    /// The known name that is most similar to an unknown one; nil if none is similar.
    static func meant(by name: String) -> String? {
        elsewhere[name.lowercased()] ?? Suggestion.nearest(name, among: names)
    }

    init?(_ name: String) {
        if name.hasPrefix("field."), name.count > 6 {
            self = .other(String(name.dropFirst(6)))
        } else if Self.dates.contains(name) {
            self = .date(name)
        } else if let known = Self.others[name] {
            self = known
        } else {
            return nil
        }
    }

    /// The field's name in a record.
    var field: String {
        switch self {
        case .title: "title"
        case .body: "body"
        case .project: "project"
        case .priority: "priority"
        case .status: "status"
        case .tags: "tags"
        case .repeating: TaskRecord.RepeatField.rule
        case .date(let name), .other(let name): name
        }
    }
}
