internal import Records

/// The most that one transaction removes, so that no other writer waits long for it and the disk's reserve suffices.
/// The row that exceeds the bytes is still removed.
public struct RemovalLimit: Sendable {
    /// Number of rows that may still be removed.
    public private(set) var rows: Int
    /// Number of bytes of rows that may still be removed.
    public private(set) var bytes: Int

    /// Creates a limit, by default of 200 rows and 4 MiB. SQLite may overwrite what is removed, so removing costs as
    /// much as writing.
    public init(rows: Int = 200, bytes: Int = 4 << 20) {
        self.rows = rows
        self.bytes = bytes
    }

    /// Counts a row of this number of bytes.
    ///
    /// - Returns: False, with nothing counted, if the limit is reached.
    public mutating func count(_ size: Int) -> Bool {
        // The last row may exceed the bytes: otherwise a row larger than the limit could never be removed.
        guard rows > 0, bytes > 0 else { return false }
        rows -= 1
        bytes -= size
        return true
    }
}

/// The removal of old tombstones as a value; the store only executes it.
struct PurgePlan: Sendable, Equatable {
    /// The parts of the plan, in order of the spaces' ids.
    private(set) var spaces: [Part] = []

    /// The removal in one space.
    struct Part: Sendable, Equatable {
        /// The space's id.
        var space: String
        /// The tombstones to remove.
        var tombstones: [StoredTombstone]
        /// The space's new floor: a cursor before this version has expired, since it could have missed one of the
        /// tombstones.
        var floor: Int64
    }

    init(_ tombstones: [StoredTombstone]) {
        for (space, tombstones) in Dictionary(grouping: tombstones, by: \.space).sorted(by: { $0.key < $1.key }) {
            let floor = tombstones.reduce(0) { max($0, $1.version) }
            spaces.append(Part(space: space, tombstones: tombstones, floor: floor))
        }
    }
}

extension StoreWriting {
    /// Removes the tombstones of a plan and raises the floors.
    func apply(_ plan: PurgePlan) throws {
        for part in plan.spaces {
            guard var space = try lockSpace(part.space) else { continue }
            try remove(part.tombstones, in: part.space)
            space.tombstoneFloor = max(space.tombstoneFloor, part.floor)
            // In the transaction that removes them: a cursor must not stay valid once a tombstone after it is missing.
            try update(space)
        }
    }
}

extension ServerStore {
    /// Removes an account, then its personal space, in small transactions. Once the account is gone, its space is
    /// unreachable; maintenance clears what a crash leaves of it.
    func clear(account: StoredAccount) async throws {
        var isGone = false
        while !isGone {
            isGone = try await write(using: .reserve) { tx in
                try tx.clear(account: account.id, limit: RemovalLimit())
            }
        }
        try await clear(space: account.personalSpace)
    }

    /// Removes an unreachable space with its records, in small transactions.
    func clear(space id: String) async throws {
        var isGone = false
        while !isGone {
            isGone = try await write(using: .reserve) { tx in
                try tx.clear(space: id, limit: RemovalLimit())
            }
        }
    }
}
