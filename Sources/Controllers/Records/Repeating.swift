internal import ControllerKit
internal import Foundation
internal import LocalStore
internal import Records
internal import struct Records.Record

extension Cache {
    /// What comes after the tasks of these ids that are done; those that are open.
    fileprivate func nextInstances(of ids: [String]) throws -> [Record] {
        try ids.compactMap { id in
            let key = RecordKey(collection: TaskRecord.type.collection, id: id)
            return try types[key.collection].policy.successor(of: key).flatMap { try cached($0)?.record }
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
