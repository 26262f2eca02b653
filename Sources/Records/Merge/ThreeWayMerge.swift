/// The merge of two states of a record that derive from a common one (SyncAPI.docc/Protocol.md, "Conflicts").
///
/// It is a pure function of its arguments and symmetric in its two sides: every device that merges the same pair gets
/// the same record and the same conflicts.
public enum ThreeWayMerge {
    /// A state of a record, without what a merge doesn't use.
    public struct Side: Sendable, Equatable {
        /// The fields; empty for a tombstone. A top-level `null` means a missing field, as in a mutation's `set`.
        public let fields: JSONObject
        /// The time of the last edit of each field; for a tombstone, the clocks that the deletion had seen.
        public let clock: FieldClocks
        /// Whether it is a tombstone.
        public let deleted: Bool

        /// Creates a state; the fields of a tombstone and top-level nulls are dropped.
        public init(fields: JSONObject, clock: FieldClocks, deleted: Bool = false) {
            self.fields = deleted ? [:] : fields.withoutNulls
            self.clock = clock
            self.deleted = deleted
        }

        /// Creates the state of a record.
        public init(_ record: Record) {
            self.init(fields: record.fields, clock: record.clock, deleted: record.deleted)
        }
    }

    /// The result of a merge.
    public struct Outcome: Sendable, Equatable {
        /// The merged fields; empty for a tombstone.
        public let fields: JSONObject
        /// The merged clocks.
        public let clock: FieldClocks
        /// Whether the record is deleted.
        public let deleted: Bool
        /// The conflicts, one for each such field, in the order of the fields' names; to be stored as records.
        public let conflicts: [FieldConflict]

        /// The merged state, for a further merge.
        public var side: Side { Side(fields: fields, clock: clock, deleted: deleted) }
    }

    /// Merges two states of a record.
    ///
    /// - Parameters:
    ///   - base: The last live state from which both derive; nil (or a tombstone) if there is none: then the base is
    ///     empty.
    ///   - mine: One side, by convention this device's.
    ///   - theirs: The other side, by convention the server's.
    ///   - type: The record type, with the rules of its fields.
    public static func merge(base: Side?, mine: Side, theirs: Side, type: RecordType) -> Outcome {
        // A tombstone has no fields: compared with it, every record would look edited, and no deletion would win.
        let base = base.flatMap { $0.deleted ? nil : $0 }
        switch (mine.deleted, theirs.deleted) {
        case (true, true): return tombstone(mine, theirs)
        case (true, false): return merge(base: base, deletion: mine, edit: theirs, type: type)
        case (false, true): return merge(base: base, deletion: theirs, edit: mine, type: type)
        case (false, false): return mergeFields(base: base?.fields ?? [:], mine, theirs, type: type)
        }
    }

    /// Merges a deletion with an edit: the edit wins, unless the deletion had seen all that the other side has.
    private static func merge(base: Side?, deletion: Side, edit: Side, type: RecordType) -> Outcome {
        let nothingNew =
            base.map { $0.fields == edit.fields } ?? hasSeen(deletion, all: edit, except: type.policy.bookkeeping)
        // Derived records are never revived: their deletion is final (record 0002 of Records).
        if (nothingNew && !type.policy.isMadeAgain(edit, after: deletion, base: base)) || type.isDerived {
            return tombstone(deletion, edit)
        }
        return Outcome(fields: edit.fields, clock: edit.clock, deleted: false, conflicts: [])
    }

    /// Returns whether a deletion had seen exactly the edits of each field of `edit`.
    private static func hasSeen(_ deletion: Side, all edit: Side, except bookkeeping: Set<String>) -> Bool {
        // A removed field is not in `fields`, but may have an entry in the clock: its removal is an edit, too.
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
        // In sorted order, so that all devices list the conflicts in the same order.
        for name in base.adding(mine.fields).adding(theirs.fields).sortedNames {
            let merge = FieldMerge(
                base: base[name], mine[name], theirs[name], rule: type.rule(for: name),
                canonicalForm: type.canonicalForm(of: name))
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
