/// A virtual tag of Taskwarrior, such as `+OVERDUE`: a tag in capital letters that no record has, but that means a state.
///
/// The tags about templates, about user-defined attributes and about the last new task have no meaning here; they are
/// ordinary tags. A tag of a record with the same letters is found by `tag:`.
enum VirtualTag: String, CaseIterable {
    case active = "ACTIVE"
    case annotated = "ANNOTATED"
    case blocked = "BLOCKED"
    case blocking = "BLOCKING"
    case completed = "COMPLETED"
    case deleted = "DELETED"
    case due = "DUE"
    case dueToday = "DUETODAY"
    case month = "MONTH"
    case overdue = "OVERDUE"
    case pending = "PENDING"
    case priority = "PRIORITY"
    case project = "PROJECT"
    case quarter = "QUARTER"
    case ready = "READY"
    case scheduled = "SCHEDULED"
    case tagged = "TAGGED"
    case today = "TODAY"
    case tomorrow = "TOMORROW"
    case unblocked = "UNBLOCKED"
    case until = "UNTIL"
    case waiting = "WAITING"
    case week = "WEEK"
    case year = "YEAR"
    case yesterday = "YESTERDAY"

    /// The words of a filter that mean the same.
    var words: [String] {
        switch self {
        case .active: ["active"]
        case .annotated: ["has:annotations"]
        case .blocked: ["blocked"]
        case .blocking: ["blocking"]
        case .completed: ["done"]
        case .deleted: ["status:deleted"]
        // Taskwarrior counts today and the next six days, without what was due before.
        case .due: ["due:today..6d", "pending"]
        case .dueToday, .today: ["today"]
        case .month: ["month"]
        case .overdue: ["overdue"]
        case .pending: ["pending"]
        case .priority: ["has:priority"]
        case .project: ["has:project"]
        case .quarter: ["due:soq..eoq", "pending"]
        case .ready: ["ready"]
        case .scheduled: ["has:scheduled"]
        case .tagged: ["has:tags"]
        case .tomorrow: ["tomorrow"]
        case .unblocked: ["not:blocked"]
        case .until: ["has:until"]
        case .waiting: ["waiting"]
        case .week: ["week"]
        case .year: ["due:soy..eoy", "pending"]
        case .yesterday: ["yesterday"]
        }
    }

    /// Returns the condition that the words mean; nil: no record type has the states or fields that they name.
    func term(in parser: inout QueryParser) -> Term? {
        var reader = parser
        // In a search, too: `+TAG` is a filter there.
        reader.knowsKeywords = true
        var terms: [Term] = []
        for word in words {
            // `try?`: a word is refused if no type declares its field or its value. Else it would be searched for.
            guard let term = try? reader.term(word) else { return nil }
            if case .text = term { return nil }
            if case .not(.text) = term { return nil }
            terms += term.conjuncts
        }
        parser.named.formUnion(reader.named)
        return terms.count == 1 ? terms[0] : .all(terms)
    }
}
