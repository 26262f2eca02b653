internal import LocalStore
internal import Records
internal import struct Records.Record

/// What the rows of a list are seen by.
struct RowContext: Sendable {
    let horizon: Horizon
    let words: DateWords
    /// What was searched for; nil for a list.
    let sought: SearchedText?

    init(dates: DateExpression.Context, sought: SearchedText?) {
        horizon = Horizon(dates)
        words = DateWords(dates)
        self.sought = sought
    }
}

extension ListScreen.State.Row {
    init(_ shown: ListWindow.Numbered, _ cached: CachedRecord, prefix: String, _ context: RowContext) {
        let record = cached.record
        let task = TaskRecord(fields: record.fields)
        let isTask = record.key.collection == TaskRecord.type.collection
        self.init(
            number: shown.number, id: record.key.id, prefix: prefix, collection: record.key.collection,
            title: record.titleOrID, project: task.project, tags: task.tags, due: task.due?.description,
            dueWords: task.due.map(context.words.words),
            isOverdue: task.due.map { context.horizon.isOverdue($0) && task.status.isOpen } ?? false,
            priority: task.priority?.rawValue,
            status: isTask ? task.status.rawValue : nil, repeat: task.rule?.description,
            hasMore: task.body != nil || !task.annotations.isEmpty,
            isUnsent: cached.pending != nil, group: shown.group, match: context.sought.map { .init(record, $0) })
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
