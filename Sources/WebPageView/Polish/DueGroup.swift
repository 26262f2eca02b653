internal import Controllers

/// Under which heading a row stands. Pure.
enum DueGroup: String, CaseIterable {
    case overdue, today, week, later, someday, notes, completed

    init(_ row: ListScreen.State.Row, _ clock: PageClock) {
        guard let status = row.status else {
            self = .notes
            return
        }
        if status == "completed" {
            self = .completed
        } else if let days = row.due.flatMap({ clock.days(until: $0) }) {
            self = days < 0 ? .overdue : days == 0 ? .today : days <= 7 ? .week : .later
        } else {
            self = .someday
        }
    }

    /// As the page calls it.
    var title: String {
        switch self {
        case .overdue: "Overdue"
        case .today: "Today"
        case .week: "The next seven days"
        case .later: "Later"
        case .someday: "Any time"
        case .notes: "Notes"
        case .completed: "Done"
        }
    }
}
