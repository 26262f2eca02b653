import LocalStore
import Records
import struct Records.Record
import TestSupport

/// A time of this device, in milliseconds since 1970.
func moment(_ milliseconds: UInt64, _ device: String = "here") -> HLC {
    HLC(milliseconds: milliseconds, device: device)
}

let key = RecordKey(collection: "tasks", id: "a")

/// A record as a server has it.
func serverRecord(
    _ key: RecordKey = key, version: Int64 = 7, deleted: Bool = false, _ fields: JSONObject = ["title": "Milk"]
) -> Record {
    Record(
        key: key, version: version, deleted: deleted, modifiedAt: "2026-11-21T05:22:00.123Z", modifiedBy: "there",
        fields: fields, clock: FieldClocks(all: moment(1, "there")))
}

/// The records of an answer of `…/changes`.
func page(_ records: [Record]) -> String { JSONValue.array(records.map(\.json)).text }

extension LocalStore {
    /// A cache in memory whose clock doesn't advance.
    static func inMemory() throws -> LocalStore { try LocalStore(inMemoryWithWall: { 1_000 }) }
}
