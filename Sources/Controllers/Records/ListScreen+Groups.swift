internal import Records

extension ListScreen.State.Group {
    /// What stands over the group.
    public var title: String {
        switch self {
        case .overdue: "Overdue"
        case .today: "Today"
        case .tomorrow: "Tomorrow"
        case .thisWeek: "This week"
        case .later: "Later"
        case .noDate: "No date"
        case .notes: "Notes"
        case .done: "Done"
        case .new: "New since"
        }
    }

    /// The group of a record, in a list that is in its usual order.
    init(_ row: QueryRow, _ horizon: Horizon) {
        let task = TaskRecord(fields: row.fields)
        if !task.status.isOpen {
            self = .done
        } else if let due = task.due {
            self.init(horizon.day(of: due))
        } else {
            self = row.collection == NoteRecord.type.collection ? .notes : .noDate
        }
    }

    private init(_ day: Horizon.Day) {
        switch day {
        case .past: self = .overdue
        case .today: self = .today
        case .tomorrow: self = .tomorrow
        case .thisWeek: self = .thisWeek
        case .later: self = .later
        }
    }
}
