internal import Records

/// How much one transaction removes at most, so that no other writer waits long for it and the disk's reserve suffices.
/// The row that exceeds the bytes is still removed.
public struct RemovalLimit: Sendable {
    /// The rows that may still be removed.
    public private(set) var rows: Int
    /// The bytes of rows that may still be removed.
    public private(set) var bytes: Int

    /// By default 200 rows and 4 MiB: SQLite may overwrite what is removed, so it costs as much as writing it.
    public init(rows: Int = 200, bytes: Int = 4 << 20) {
        self.rows = rows
        self.bytes = bytes
    }

    /// Counts a row of this number of bytes; false, and nothing counted, if the limit is reached.
    public mutating func count(_ size: Int) -> Bool {
        guard rows > 0, bytes > 0 else { return false }
        rows -= 1
        bytes -= size
        return true
    }
}

/// What removing old tombstones comes to, as a value: the store has only to carry it out.
struct PurgePlan: Sendable, Equatable {
    /// By space, in order of its id.
    private(set) var spaces: [Part] = []

    /// What happens in one space.
    struct Part: Sendable, Equatable {
        /// The space's id.
        var space: String
        /// The tombstones that go.
        var tombstones: [StoredTombstone]
        /// A cursor before this version has expired then: it could have missed one of them.
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
    /// Removes what a plan says and moves the floors.
    func carryOut(_ plan: PurgePlan) throws {
        for part in plan.spaces {
            guard var space = try lockSpace(part.space) else { continue }
            try remove(part.tombstones, in: part.space)
            space.tombstoneFloor = max(space.tombstoneFloor, part.floor)
            try update(space)
        }
    }
}

extension ServerStore {
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
