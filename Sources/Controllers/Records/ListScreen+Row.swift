internal import Foundation
internal import Notebook
internal import Records

/// What the rows of a list depend on besides their records.
struct RowContext: Sendable {
    let horizon: Horizon
    let words: DateWords
    /// The words that were searched for; nil for a list.
    let sought: SearchedText?

    init(dates: DateExpression.Context, sought: SearchedText?) {
        horizon = Horizon(dates)
        words = DateWords(dates)
        self.sought = sought
    }
}

extension ListScreen.State.Row {
    init(_ listed: ListedRecord, group: ListScreen.State.Group?, _ context: RowContext) {
        let record = listed.record
        let task = TaskRecord(fields: record.fields)
        let isTask = record.key.collection == TaskRecord.type.collection
        self.init(
            number: listed.number, id: record.key.id, prefix: listed.prefix, collection: record.key.collection,
            title: record.titleOrID, project: task.project, tags: task.tags, due: task.due?.description,
            dueWords: task.due.map(context.words.words),
            isOverdue: task.due.map { context.horizon.isOverdue($0) && task.status.isOpen } ?? false,
            priority: task.priority?.rawValue,
            status: isTask ? task.status.rawValue : nil, repeat: task.rule?.description,
            hasMore: task.body != nil || !task.annotations.isEmpty,
            isUnsent: listed.isUnsent, group: group, match: context.sought.map { .init(record, $0) })
    }
}

extension ListScreen.State.Match {
    fileprivate init(_ record: Record, _ sought: SearchedText) {
        let task = TaskRecord(fields: record.fields)
        let texts = [task.body].compactMap(\.self) + task.annotations.map(\.description)
        self.init(
            title: sought.pieces(of: record.titleOrID), excerpt: sought.excerpt(of: texts.joined(separator: "\n")))
    }
}

extension ListScreen.State.Group {
    /// The heading of the group.
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
    init(_ record: Record, _ horizon: Horizon) {
        let task = TaskRecord(fields: record.fields)
        if !task.status.isOpen {
            self = .done
        } else if let due = task.due {
            self.init(horizon.day(of: due))
        } else {
            self = record.key.collection == NoteRecord.type.collection ? .notes : .noDate
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

extension Timestamp {
    /// `2026-11-27`, or with its time if that is not midnight, in a time zone.
    func localText(in timeZone: TimeZone) -> String {
        let local = Timestamp(seconds: seconds + Int64(timeZone.secondsFromGMT(for: date))).description
        let time = local.dropFirst(11).prefix(5)
        return local.prefix(10) + (time == "00:00" ? "" : " " + time)
    }
}
