import LocalStore
import Records
import struct Records.Record
import SyncAPI

@testable import SyncEngine

let key = RecordKey(collection: "tasks", id: "a")

/// A time, in milliseconds since 1970.
func moment(_ milliseconds: UInt64, _ device: String = "here") -> HLC {
    HLC(milliseconds: milliseconds, device: device)
}

/// A record as a server has it.
func theirs(
    _ version: Int64 = 7, _ fields: JSONObject = ["title": "Milk"], deleted: Bool = false, key: RecordKey = key,
    clock: FieldClocks = FieldClocks(all: moment(1, "there"))
) -> Record {
    Record(
        key: key, version: version, deleted: deleted, modifiedAt: "2026-11-21T05:22:00.123Z", modifiedBy: "there",
        fields: deleted ? [:] : fields, clock: clock)
}

extension CachedRecord {
    /// A clean record.
    static func clean(_ record: Record = theirs()) -> CachedRecord { CachedRecord(record: record) }

    /// The same record with the batch in flight holding all of its edits.
    var inFlight: CachedRecord {
        var next = self
        next.pending?.sent = pending?.edits
        return next
    }

    func edited(_ patch: JSONObject, _ milliseconds: UInt64) -> CachedRecord {
        edited(patch, at: moment(milliseconds), types: .standard)
    }

    func applyingRemote(_ theirs: Record) -> MergeOutcome { applyingRemote(theirs, types: .standard) }

    func applying(_ result: MutationResult) throws -> MergeOutcome {
        guard let mutation else { throw NothingToSend() }
        return applying(result, of: mutation, device: "here", types: .standard)
    }

    func applyingRestored(_ theirs: Record, shared: Int64) -> MergeOutcome {
        applyingRestored(theirs, shared: shared, types: .standard)
    }
}

/// A record without a mutation.
struct NothingToSend: Error {}

/// A server's answer to a mutation that it has applied.
func applied(_ version: Int64, clock: FieldClocks) -> MutationResult {
    .applied(version: version, modifiedAt: "2026-11-21T05:23:00.000Z", clock: clock)
}
