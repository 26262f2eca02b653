public import Records
public import struct Records.Record

/// The result of a comparison of the whole cache with the server.
public struct CacheComparison: Sendable, Equatable {
    /// The number of compared records.
    public var compared = 0
    /// The records that differ, in the order of their keys.
    public var differences: [Difference] = []
    /// The number of records that other devices have changed since the last sync. They are not differences.
    public var waiting = 0

    /// A record whose state on the server isn't the one that the cache knows. Unsent edits are no difference.
    public struct Difference: Sendable, Equatable {
        /// The key of the record.
        public let key: RecordKey
        /// The kind of the difference.
        public let kind: Kind

        /// Creates a difference.
        public init(_ key: RecordKey, _ kind: Kind) {
            self.key = key
            self.kind = kind
        }
    }

    /// The kinds of differences. New cases may be added.
    public enum Kind: String, Sendable, CaseIterable {
        /// The server has the record, and the cache doesn't.
        case missingHere = "missing-here"
        /// The cache has the record, and the server doesn't.
        case missingThere = "missing-there"
        /// The versions differ.
        case version
        /// The versions are equal, and the contents differ.
        case contents
        /// On the server the record is too large to be received here, so its contents can't be compared.
        case tooLarge = "too-large"
    }
}

extension CacheComparison.Kind {
    /// Compares the cached state of the server with the server's record; nil: they are equal. A tombstone counts as
    /// absent, since a read of the whole space brings none.
    init?(held: Record?, remote: Record?) {
        switch (held.flatMap { $0.deleted ? nil : $0 }, remote.flatMap { $0.deleted ? nil : $0 }) {
        case (nil, nil): return nil
        case (nil, _?): self = .missingHere
        case (_?, nil): self = .missingThere
        case (let held?, let remote?):
            if held.version != remote.version {
                self = .version
            } else if held.fields != remote.fields || held.clock != remote.clock {
                self = .contents
            } else {
                return nil
            }
        }
    }
}

/// The result of comparing digests: whether a cache holds what its server has, as far as one small request can show.
public struct DigestCheck: Sendable, Equatable {
    /// The result.
    public var agreement: Agreement
    /// The server's clock, in milliseconds since 1970; nil: its answer didn't have it.
    public var serverTime: UInt64?

    /// Whether the cache holds what the server has. New cases may be added.
    public enum Agreement: Sendable, Equatable {
        /// The digests are equal.
        case equal
        /// The digests differ: the cache doesn't hold what the server has.
        case different
        /// The server has changes that were not received yet. After a sync, the digests can be compared.
        case unseenChanges
        /// Not everything was read yet; a sync continues the read.
        case reading
        /// The next sync begins this full read.
        case mustRead(FullRead)
    }
}
