public import Records
public import struct Records.Record

/// What a comparison of the whole cache with the server has found.
public struct Comparison: Sendable, Equatable {
    /// Records that were compared.
    public var compared = 0
    /// Records that differ, in the order of their keys.
    public var differences: [Difference] = []
    /// Records that others have changed since the last sync: no differences, they wait to be seen.
    public var waiting = 0

    /// A record that isn't held as the server has it. Unsent edits are no difference: what is compared is what the server
    /// was seen to have.
    public struct Difference: Sendable, Equatable {
        /// Which one.
        public let key: RecordKey
        /// How it differs.
        public let kind: Kind

        /// Names a difference.
        public init(_ key: RecordKey, _ kind: Kind) {
            self.key = key
            self.kind = kind
        }
    }

    /// How a record can differ.
    public enum Kind: String, Sendable, CaseIterable {
        /// The server has it, and it isn't held.
        case missingHere = "missing-here"
        /// It is held, and the server doesn't have it.
        case missingThere = "missing-there"
        /// The numbers of the last change differ.
        case version
        /// The same number, with other contents.
        case contents
        /// On the server the record is too large to be received here, so its contents can't be compared.
        case tooLarge = "too-large"
    }
}

extension Comparison.Kind {
    /// How what is held differs from what the server tells; nil: it doesn't. A tombstone is as good as nothing: a read of the
    /// whole space tells none.
    init?(held: Record?, told: Record?) {
        switch (held.flatMap { $0.deleted ? nil : $0 }, told.flatMap { $0.deleted ? nil : $0 }) {
        case (nil, nil): return nil
        case (nil, _?): self = .missingHere
        case (_?, nil): self = .missingThere
        case (let held?, let told?):
            if held.version != told.version {
                self = .version
            } else if held.fields != told.fields || held.clock != told.clock {
                self = .contents
            } else {
                return nil
            }
        }
    }
}

/// How a cache and its server stand towards each other, as far as one small request can tell.
public struct Standing: Sendable, Equatable {
    /// Whether what is held is what the server has.
    public var agreement: Agreement
    /// The server's clock, milliseconds since 1970, if it told.
    public var serverTime: UInt64?

    /// Whether what is held is what the server has.
    public enum Agreement: Sendable, Equatable {
        /// The digests are equal.
        case equal
        /// They differ: something is held that isn't what the server has.
        case different
        /// The server has changes that weren't seen yet: a sync will tell.
        case unseenChanges
        /// Not everything was read yet: a sync goes on with it.
        case reading
        /// The next sync reads everything again, and says why.
        case mustRead(FullRead)
    }
}
