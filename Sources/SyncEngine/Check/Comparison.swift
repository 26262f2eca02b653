package import Records
package import struct Records.Record

/// What a comparison of the whole cache with the server has found.
package struct Comparison: Sendable, Equatable {
    /// Records that were compared.
    package var compared = 0
    /// Records that differ, in the order of their keys.
    package var differences: [Difference] = []
    /// Records that other devices have changed since the last sync. They are not differences.
    package var waiting = 0

    /// A record that isn't held as the server has it. Unsent edits are no difference: what is compared is what the server
    /// was seen to have.
    package struct Difference: Sendable, Equatable {
        /// Which one.
        package let key: RecordKey
        /// How it differs.
        package let kind: Kind

        /// Names a difference.
        package init(_ key: RecordKey, _ kind: Kind) {
            self.key = key
            self.kind = kind
        }
    }

    /// How a record can differ.
    package enum Kind: String, Sendable, CaseIterable {
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
    /// How a held record differs from the server's; nil: it doesn't. A tombstone counts as absent: a read of the whole space
    /// brings none.
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

/// Whether a cache holds what its server has, as far as one small request can say.
package struct DigestCheck: Sendable, Equatable {
    /// The result.
    package var agreement: Agreement
    /// The server's clock, milliseconds since 1970, if its answer had it.
    package var serverTime: UInt64?

    /// Whether the cache holds what the server has.
    package enum Agreement: Sendable, Equatable {
        /// The digests are equal.
        case equal
        /// They differ: something is held that isn't what the server has.
        case different
        /// The server has changes that were not received yet: after a sync, the digests can be compared.
        case unseenChanges
        /// Not everything was read yet: a sync continues with it.
        case reading
        /// The next sync reads everything again, for this reason.
        case mustRead(FullRead)
    }
}
