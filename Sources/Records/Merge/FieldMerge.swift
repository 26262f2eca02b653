internal import TextMerge

/// The merge of one field. The sides are ordered by clock, then content, so that it doesn't matter which is which.
struct FieldMerge {
    let earlier: FieldEdit
    let later: FieldEdit
    /// The merged value and its clock.
    let result: FieldEdit
    /// What the record has if it can't hold both edits in one value; nil if there is no conflict.
    let unresolved: FieldConflict.Kept?
    /// The lines of a text of which both versions are in the result.
    let overlaps: [TextOverlap]

    init(base: JSONValue?, _ one: FieldEdit, _ other: FieldEdit, rule: MergeRule) {
        earlier = min(one, other)
        later = max(one, other)
        let base = base ?? Self.commonValue(earlier, later, rule: rule)
        if earlier.value == later.value || earlier.value == base {
            (result, unresolved, overlaps) = (later, nil, [])
        } else if later.value == base {
            (result, unresolved, overlaps) = (earlier, nil, [])
        } else {
            let merged = Self.mergeChanges(base: base, earlier, later, rule: rule)
            (result, unresolved, overlaps) = (merged.result, merged.unresolved, merged.overlaps)
        }
    }

    /// The common base of both sides where no base is known. A value that was carried over from another record
    /// (`HLC.carried`) is not an edit, so the later side has replaced it and lost nothing. Of two such sets the union
    /// is kept: each may have gained elements in the record that it comes from.
    private static func commonValue(_ earlier: FieldEdit, _ later: FieldEdit, rule: MergeRule) -> JSONValue? {
        guard earlier.isCarried, rule != .set || !later.isCarried else { return nil }
        return earlier.value
    }

    /// The merge of two changes; see the properties of `FieldMerge`.
    private struct MergedChanges {
        let result: FieldEdit
        var unresolved: FieldConflict.Kept?
        var overlaps: [TextOverlap] = []
    }

    private static func mergeChanges(
        base: JSONValue?, _ earlier: FieldEdit, _ later: FieldEdit, rule: MergeRule
    ) -> MergedChanges {
        switch rule {
        case .set:
            guard let merged = SetMerge.merge(base: base, earlier.value, later.value) else { break }
            return MergedChanges(result: made(merged, from: later))
        case .text:
            guard let merged = mergeTexts(base: base, earlier.value, later.value) else { break }
            return MergedChanges(
                result: made(.string(merged.text), from: later), unresolved: merged.hasOverlaps ? .both : nil,
                overlaps: merged.overlaps)
        case .noted: return MergedChanges(result: later)
        case .latest: break
        }
        return MergedChanges(result: later, unresolved: .later)
    }

    /// The merged text; nil if one of the values is no text. An absent one is an empty text.
    private static func mergeTexts(base: JSONValue?, _ earlier: JSONValue?, _ later: JSONValue?) -> MergedText? {
        guard let base = (base ?? "").string, let earlier = (earlier ?? "").string, let later = (later ?? "").string
        else { return nil }
        return MergedText(base: base, earlier: earlier, later: later)
    }

    /// A value made from both sides comes after both; one that is the later side's is that side's.
    private static func made(_ value: JSONValue, from later: FieldEdit) -> FieldEdit {
        value == later.value ? later : FieldEdit(value: value, moment: later.moment?.next)
    }
}
