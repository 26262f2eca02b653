/// The merge of two states of a record that derive from a common one (SyncAPI.docc/Protocol.md, "Conflicts").
///
/// A pure function of its arguments, symmetric in its two sides: every device that merges the same pair gets the same
/// record and the same conflicts.
public enum ThreeWayMerge {
    /// A state of a record, as far as a merge looks at it.
    public struct Side: Sendable, Equatable {
        /// The fields; none of a tombstone. A top-level `null` means an absent field, as in a mutation's `set`.
        public let fields: JSONObject
        /// When each field was last edited; for a tombstone, the clocks that the deletion had seen.
        public let clock: FieldClocks
        /// Whether it is a tombstone.
        public let deleted: Bool

        /// A state; fields of a tombstone and top-level nulls are dropped.
        public init(fields: JSONObject, clock: FieldClocks, deleted: Bool = false) {
            self.fields = deleted ? [:] : fields.withoutNulls
            self.clock = clock
            self.deleted = deleted
        }

        /// The state of a record.
        public init(_ record: Record) {
            self.init(fields: record.fields, clock: record.clock, deleted: record.deleted)
        }
    }

    /// What a merge makes.
    public struct Outcome: Sendable, Equatable {
        /// The merged fields; none of a tombstone.
        public let fields: JSONObject
        /// The merged clocks.
        public let clock: FieldClocks
        /// Whether the record is deleted.
        public let deleted: Bool
        /// What could not be kept, one for each such field, in the order of the fields' names; to be stored as records.
        public let conflicts: [FieldConflict]

        /// The merged state, for a further merge.
        public var side: Side { Side(fields: fields, clock: clock, deleted: deleted) }
    }

    /// Merges two states of a record.
    ///
    /// - Parameters:
    ///   - base: the last live state from which both derive; nil (or a tombstone) if there is none: the base is empty
    ///     then.
    ///   - mine: one side, by habit this device's.
    ///   - theirs: the other side, by habit the server's.
    ///   - type: the record type, which gives the rules of its fields.
    public static func merge(base: Side?, mine: Side, theirs: Side, type: RecordType) -> Outcome {
        let base = base.flatMap { $0.deleted ? nil : $0 }
        switch (mine.deleted, theirs.deleted) {
        case (true, true): return tombstone(mine, theirs)
        case (true, false): return merge(base: base, deletion: mine, edit: theirs, type: type)
        case (false, true): return merge(base: base, deletion: theirs, edit: mine, type: type)
        case (false, false): return mergeFields(base: base?.fields ?? [:], mine, theirs, type: type)
        }
    }

    /// The edit wins, unless there is none: the deletion had seen all that the other side holds.
    private static func merge(base: Side?, deletion: Side, edit: Side, type: RecordType) -> Outcome {
        let nothingNew =
            base.map { $0.fields == edit.fields } ?? hasSeen(deletion, all: edit, except: type.policy.bookkeeping)
        if (nothingNew && !type.policy.isMadeAgain(edit, after: deletion)) || type.isDerived {
            return tombstone(deletion, edit)
        }
        return Outcome(fields: edit.fields, clock: edit.clock, deleted: false, conflicts: [])
    }

    /// Whether a deletion had seen exactly the edits of each field that `edit` holds.
    private static func hasSeen(_ deletion: Side, all edit: Side, except bookkeeping: Set<String>) -> Bool {
        Set(edit.fields.names.lazy.map { JSONName($0) }).union(edit.clock.moments.keys)
            .subtracting(bookkeeping.map { JSONName($0) })
            .allSatisfy { deletion.clock[$0.text] == edit.clock[$0.text] }
    }

    private static func tombstone(_ first: Side, _ second: Side) -> Outcome {
        let clock = first.clock.joined(with: second.clock, fields: [:])
        return Outcome(fields: [:], clock: clock, deleted: true, conflicts: [])
    }

    private static func mergeFields(base: JSONObject, _ mine: Side, _ theirs: Side, type: RecordType) -> Outcome {
        var fields = JSONObject()
        var moments: [JSONName: HLC] = [:]
        var conflicts: [FieldConflict] = []
        for name in base.adding(mine.fields).adding(theirs.fields).sortedNames {
            let merge = FieldMerge(base: base[name], mine[name], theirs[name], rule: type.rule(for: name))
            fields[name] = merge.result.value
            moments[name] = merge.result.moment
            if let kept = merge.unresolved, !type.isDerived {
                conflicts.append(
                    FieldConflict(
                        field: name, earlier: merge.earlier, later: merge.later, kept: kept, overlaps: merge.overlaps))
            }
        }
        let clock = mine.clock.joined(with: theirs.clock, fields: moments)
        return Outcome(fields: fields, clock: clock, deleted: false, conflicts: conflicts)
    }
}

extension ThreeWayMerge.Side {
    fileprivate subscript(field: String) -> FieldEdit { FieldEdit(value: fields[field], moment: clock[field]) }
}
