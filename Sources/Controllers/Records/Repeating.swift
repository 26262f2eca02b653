internal import ControllerKit
internal import Foundation
internal import LocalStore
internal import Records
internal import struct Records.Record

// What tasks that repeat add to an edit, whichever command makes it.
extension Cache {
    /// Refuses a typed edit that makes a task repeat without a due date to count from, or sets an end before it. An
    /// import applies what the file has.
    ///
    /// - Throws: `Failure` of category `usage`.
    func checkRepeats(_ record: Record, _ patch: JSONObject) throws {
        let (rule, due) = (TaskRecord.RepeatField.rule, "due")
        guard patch[Record.importMarkField] == nil, record.key.collection == TaskRecord.type.collection else { return }
        let task = TaskRecord(fields: record.fields)
        if patch["until"] != nil, task.endsBeforeDue {
            throw Failure(
                .usage,
                "The last day of the series (until:) is before the due date. Give a later day, change due: as well, or "
                    + "write until: alone for a series without an end.")
        }
        guard patch[rule] != nil || patch[due] != nil, record.fields[rule] != nil, task.due == nil else { return }
        throw Failure(
            .usage,
            "A task that repeats needs a due date. Set one, for example due:friday, or write repeat: alone to remove the "
                + "interval.")
    }

    /// What comes after the tasks of these ids that are done; those that are open.
    fileprivate func nextInstances(of ids: [String]) throws -> [Record] {
        try ids.compactMap { id in
            let key = NextInstance.key(after: RecordKey(collection: TaskRecord.type.collection, id: id))
            return try cached(key)?.record
        }.filter { !$0.deleted && TaskRecord(fields: $0.fields).status.isOpen }
    }
}

extension Services {
    /// What a person is told of the tasks that come after those that were done: nil where there are none.
    ///
    /// - Returns: the ids of the next ones, and a sentence about them.
    func nextOnes(after ids: [String]) async throws -> (ids: [String], sentence: String)? {
        let next = try await store.read { try $0.nextInstances(of: ids) }
        guard let first = next.first, let due = TaskRecord(fields: first.fields).due else { return nil }
        let sentence = next.count == 1 ? "Next: \(day(of: due))." : "\(next.count) of them come again."
        return (next.map(\.key.id), sentence)
    }

    /// `2026-11-27`, or with its time where that isn't midnight, where the person is.
    private func day(of moment: Timestamp) -> String {
        var gregorian = Calendar(identifier: .gregorian)
        gregorian.timeZone = calendar.timeZone
        let offset = Int64(gregorian.timeZone.secondsFromGMT(for: moment.date))
        let local = Timestamp(seconds: moment.seconds + offset).description
        let time = local.dropFirst(11).prefix(5)
        return local.prefix(10) + (time == "00:00" ? "" : " " + time)
    }
}
