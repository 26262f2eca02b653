/// Something in a cache that is not as it must be, found by `LocalStore.faults`.
public struct CacheFault: Sendable, Equatable {
    /// What is wrong.
    public var kind: Kind
    /// How many rows it concerns; at least 1.
    public var count: Int
    /// What SQLite or the row says, for who wants to know more.
    public var detail: String?

    /// A fault of this kind.
    public init(_ kind: Kind, count: Int = 1, detail: String? = nil) {
        self.kind = kind
        self.count = count
        self.detail = detail
    }

    /// The invariants of the cache, by what violates them; in the order of their repair.
    public enum Kind: String, Sendable, CaseIterable {
        /// SQLite can't read parts of the file.
        case unreadablePages
        /// An index doesn't have what its table has.
        case brokenIndex
        /// The row of the personal space is missing or can't be read.
        case brokenSpace
        /// Rows that refer to rows that don't exist.
        case danglingReferences
        /// Records whose name, fields or clocks can't be read.
        case unreadableRecords
        /// Mirrors whose fields or clocks can't be read.
        case unreadableMirrors
        /// Outbox entries without a moment that can be read.
        case unreadableEntries
        /// Mirrors of records without unsent edits.
        case strayMirrors
        /// Records that no server has acknowledged, and that would never be sent.
        case lostEntries
        /// More edits sent than were made, or none made.
        case impossibleCounts
        /// Records marked as in flight without a batch, or a batch whose records aren't.
        case brokenBatch
        /// Records noted as met by a full read, or as of a former epoch, while none is under way.
        case strayReadMarks
        /// A digest that isn't that of what is held.
        case wrongDigest
        /// Words that can't be found, or that lead nowhere.
        case wrongSearchIndex
    }
}

extension CacheFault.Kind {
    /// What the repair needs.
    public enum Mending: Sendable {
        /// The file is put aside, and a new one is built.
        case rebuilding
        /// What the server has must be read again.
        case reading
        /// The cache alone knows what is right.
        case recounting
    }

    /// What the repair needs.
    public var mending: Mending {
        switch self {
        case .unreadablePages: .rebuilding
        case .brokenSpace, .danglingReferences, .unreadableRecords, .unreadableMirrors, .strayMirrors, .lostEntries,
            .brokenBatch:
            .reading
        case .brokenIndex, .unreadableEntries, .impossibleCounts, .strayReadMarks, .wrongDigest, .wrongSearchIndex:
            .recounting
        }
    }
}
