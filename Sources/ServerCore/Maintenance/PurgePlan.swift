internal import Records

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
