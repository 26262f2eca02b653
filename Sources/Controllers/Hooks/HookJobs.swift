internal import LocalStore
internal import Records

extension HookJob {
    /// The jobs that a command makes: its new records first, then those that it changed or deleted.
    static func jobs(after changes: [RecordChange]) -> [HookJob] {
        let whole = joined(changes)
        let (made, changed) = (whole.filter { $0.before == nil }, whole.filter { $0.before != nil })
        return [HookJob(.add, lines: made.map(line)), HookJob(.edit, lines: changed.map(line))]
            .filter { !$0.lines.isEmpty }
    }

    /// The job that a sync makes; nil if it has brought nothing.
    static func job(afterSync changes: [RecordChange]) -> HookJob? {
        let whole = joined(changes)
        return whole.isEmpty ? nil : HookJob(.sync, lines: whole.map(line))
    }

    /// The changes of each record as one, in the order of its first; those of which nothing is left go.
    private static func joined(_ changes: [RecordChange]) -> [RecordChange] {
        var (order, whole) = ([RecordKey](), [RecordKey: RecordChange]())
        for change in changes {
            let earlier = whole[change.key]
            if earlier == nil { order.append(change.key) }
            whole[change.key] = RecordChange(
                change.key, before: earlier.map(\.before) ?? change.before, after: change.after)
        }
        return order.compactMap { whole[$0] }.filter { $0.before != $0.after }
    }

    /// `{"collection":"tasks","deleted":false,"fields":{…},"id":"…","previous":{…}}`; `previous` is null for a record that
    /// wasn't there.
    private static func line(_ change: RecordChange) -> String {
        let line: JSONObject = [
            "collection": .string(change.key.collection), "id": .string(change.key.id),
            "deleted": .bool(change.after == nil), "fields": .object(change.after ?? [:]),
            "previous": change.before.map(JSONValue.object) ?? .null,
        ]
        return JSONValue.object(line).text
    }
}
