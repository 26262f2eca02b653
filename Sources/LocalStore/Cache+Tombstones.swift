internal import GRDB
public import Records
public import struct Records.Record

// Deleted records, whose tombstones keep the last fields that this device saw.
extension Cache {
    /// The tombstones of a collection, in no particular order.
    public func tombstones(in collection: String, space: Int64 = Cache.personal) throws -> [Record] {
        let statement = try db.cachedStatement(
            sql: "SELECT * FROM records WHERE space = ? AND deleted = 1 AND collection = ?")
        return try Row.fetchAll(statement, arguments: [space, collection]).map { try record($0) }
    }

    /// The deleted tasks and notes whose id begins with `prefix`, at most `limit`; one with that very id comes alone.
    public func deletedKeys(prefix: String, limit: Int = 5, space: Int64 = Cache.personal) throws -> [RecordKey] {
        if prefix.isEmpty { return [] }
        let statement = try db.cachedStatement(
            sql: """
                SELECT collection, id FROM records WHERE id >= ? AND id < ? AND space = ? AND deleted = 1
                    AND \(Self.isShown) ORDER BY id LIMIT ?
                """)
        // Ids are ASCII; U+007F sorts after all of them.
        let keys = try Row.fetchAll(statement, arguments: [prefix, prefix + "\u{7F}", space, limit]).map {
            RecordKey(collection: $0["collection"], id: $0["id"])
        }
        return keys.first { $0.id == prefix }.map { [$0] } ?? keys
    }
}
