internal import Records
public import ServerCore
internal import SyncAPI

/// What every `ServerStore` must do, as checks that any implementation can be put through.
///
/// They know no test framework: a check throws when the store fails it.
public struct ServerStoreConformance: Sendable, CustomStringConvertible {
    /// What is checked, as a sentence.
    public let description: String
    /// Checks an empty store.
    public let run: @Sendable (any ServerStore) async throws -> Void

    init(_ description: String, _ run: @escaping @Sendable (any ServerStore) async throws -> Void) {
        self.description = description
        self.run = run
    }

    /// All checks.
    public static let checks: [ServerStoreConformance] = accounts + records + transactions + epochs + retention

    /// Why a store failed a check.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// Throws a `Failure` unless both are equal.
    static func expect<Value: Equatable>(_ value: Value, is expected: Value, _ what: String) throws {
        if value != expected { throw Failure(description: "\(what): \(value), not \(expected)") }
    }
}

// MARK: - Samples

extension ServerStoreConformance {
    static func account(_ name: String) -> StoredAccount {
        StoredAccount(
            id: "account-\(name)", username: name, passwordHash: "hash", personalSpace: "space-\(name)", createdAt: 1)
    }

    static func session(_ id: String, of name: String, device: String, createdAt: Int64 = 1) -> StoredSession {
        StoredSession(
            id: id, account: "account-\(name)", device: device, deviceName: "a device", createdAt: createdAt,
            lastSeenAt: createdAt)
    }

    static func token(_ byte: UInt8, _ session: String, generation: Int64 = 0, expiresAt: Int64 = 10) -> StoredToken {
        StoredToken(
            hash: Array(repeating: byte, count: 32), session: session, kind: .access, generation: generation,
            expiresAt: expiresAt)
    }

    static func record(
        _ id: String, version: Int64, deleted: Bool = false, collection: String = "tasks", fields: String = "{}"
    ) -> RawRecord {
        RawRecord(
            key: RecordKey(collection: collection, id: id), version: version, deleted: deleted,
            modifiedAt: "2026-11-21T05:22:00.123Z", modifiedBy: "dev", fields: deleted ? "" : fields, clock: "{}")
    }

    static func versions(_ range: ChangeRange, in space: String, _ tx: any StoreReading) throws -> [Int64] {
        var versions: [Int64] = []
        try tx.visitChanges(range, in: space) { record in
            versions.append(record.version)
            return true
        }
        return versions
    }
}
