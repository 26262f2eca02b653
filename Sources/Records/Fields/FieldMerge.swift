public import TextMerge

/// The rule by which two different edits of a field are merged (SyncAPI.docc/Protocol.md, "Conflicts"). New cases may
/// be added.
public enum MergeRule: String, Sendable, Hashable, CaseIterable {
    /// An array whose order has no meaning: the base with both sides' additions and without both sides' removals.
    case set
    /// Lines of text: a three-way merge; where changes overlap, both versions are kept in the text.
    case text
    /// Any other value: the later edit is kept, the other becomes a conflict record.
    case latest
    /// A value that the program records with an edit, such as the completion time of a task: the later one is kept,
    /// without a conflict.
    case noted
}

/// The merge of one field. The sides are ordered by clock, then content, so the result doesn't depend on which side is
/// which.
struct FieldMerge {
    let earlier: FieldEdit
    let later: FieldEdit
    /// The merged value and its clock.
    let result: FieldEdit
    /// The value in the record if one value can't represent both edits; nil if there is no conflict.
    let unresolved: FieldConflict.Kept?
    /// The lines of a text of which both versions are in the result.
    let overlaps: [TextOverlap]

    /// Merges two edits of a field.
    ///
    /// - Parameter canonicalForm: Returns the canonical form of a value; nil: the values themselves are compared.
    init(
        base: JSONValue?, _ one: FieldEdit, _ other: FieldEdit, rule: MergeRule,
        canonicalForm: ((JSONValue) -> JSONValue)? = nil
    ) {
        earlier = min(one, other)
        later = max(one, other)
        let base = Self.commonValue(earlier, later, base: base, rule: rule)
        // Where both sides have the same value, the later edit is used: the merged clock must not be before either
        // side's.
        let isSame = { (left: JSONValue?, right: JSONValue?) -> Bool in
            guard left != right else { return true }
            guard let canonicalForm, let left, let right else { return false }
            return canonicalForm(left) == canonicalForm(right)
        }
        if isSame(earlier.value, later.value) || isSame(earlier.value, base) {
            (result, unresolved, overlaps) = (later, nil, [])
        } else if isSame(later.value, base) {
            (result, unresolved, overlaps) = (earlier, nil, [])
        } else {
            let merged = Self.mergeChanges(base: base, earlier, later, rule: rule)
            (result, unresolved, overlaps) = (merged.result, merged.unresolved, merged.overlaps)
        }
    }

    /// Returns the common base of both sides. A value that was carried over from another record (`HLC.carried`) is not an
    /// edit, so the later side has replaced it and lost nothing. Sets and texts are merged with a base that is known.
    /// Two carried sets without one are united: each may have gained elements in the record from which it was copied.
    private static func commonValue(
        _ earlier: FieldEdit, _ later: FieldEdit, base: JSONValue?, rule: MergeRule
    ) -> JSONValue? {
        switch rule {
        case .latest, .noted: earlier.isCarried ? earlier.value : base
        case .text: base ?? (earlier.isCarried ? earlier.value : nil)
        case .set: base ?? (earlier.isCarried && !later.isCarried ? earlier.value : nil)
        }
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
            // A value of another shape merges as `latest`, so that nothing is lost.
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

    /// Returns the merged text; nil if one of the values isn't a text. A missing value is an empty text.
    private static func mergeTexts(base: JSONValue?, _ earlier: JSONValue?, _ later: JSONValue?) -> MergedText? {
        guard let base = (base ?? "").string, let earlier = (earlier ?? "").string, let later = (later ?? "").string
        else { return nil }
        return MergedText(base: base, earlier: earlier, later: later)
    }

    /// Returns the merged value with its clock: later than both sides if it was made from both, else the later side's
    /// own clock.
    private static func made(_ value: JSONValue, from later: FieldEdit) -> FieldEdit {
        value == later.value ? later : FieldEdit(value: value, moment: later.moment?.next)
    }
}

/// The merge of arrays whose order has no meaning, such as tags.
enum SetMerge {
    /// Returns the base with both sides' additions and without both sides' removals, each element once, sorted by
    /// canonical form; nil if one of the values isn't an array. A missing value is an empty set.
    static func merge(base: JSONValue?, _ one: JSONValue?, _ other: JSONValue?) -> JSONValue? {
        guard let base = elements(base), let one = elements(one), let other = elements(other) else { return nil }
        var merged = one.merging(other) { mine, _ in mine }
        for removed in base.keys where one[removed] == nil || other[removed] == nil { merged[removed] = nil }
        // Sorted, since the order of a dictionary varies and all devices must write the same array.
        return .array(merged.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map(\.value))
    }

    /// Returns the elements by canonical form.
    private static func elements(_ value: JSONValue?) -> [[UInt8]: JSONValue]? {
        guard let array = (value ?? []).array else { return nil }
        return Dictionary(array.map { (Array($0.canonical.utf8), $0) }) { first, _ in first }
    }
}

/// The state of a field on one side: its value and the time of its last edit.
public struct FieldEdit: Sendable, Equatable {
    /// The value; nil if the field is missing or was removed.
    public let value: JSONValue?
    /// The time of the edit; nil if it isn't known.
    public let moment: HLC?

    /// Creates an edit.
    public init(value: JSONValue?, moment: HLC?) {
        self.value = value
        self.moment = moment
    }
}

extension FieldEdit {
    /// Whether the value was carried over from another record and has not been edited since.
    var isCarried: Bool { moment?.isCarried ?? false }
}

extension FieldEdit: Comparable {
    /// Returns whether `left` is first: by clock, an unknown one first; then by content, a missing value first.
    public static func < (left: FieldEdit, right: FieldEdit) -> Bool {
        if left.moment != right.moment { return FieldClocks.later(left.moment, right.moment) == right.moment }
        return left.content.lexicographicallyPrecedes(right.content)
    }

    private var content: String.UTF8View { (value?.canonical ?? "").utf8 }
}

/// Two edits of a field that a merge could not represent by one value.
public struct FieldConflict: Sendable, Equatable {
    /// The field's name.
    public let field: String
    /// The edit that is first by clock, then by content.
    public let earlier: FieldEdit
    /// The other edit.
    public let later: FieldEdit
    /// The value that the merge stored in the record.
    public let kept: Kept
    /// The lines in conflict, of a text with both versions; empty if they aren't known.
    public let overlaps: [TextOverlap]

    /// The value that a merge stores in the record. New cases may be added.
    public enum Kept: String, Sendable {
        /// The later value alone.
        case later
        /// A text with both versions of the lines that overlap, between markers.
        case both
    }

    /// Creates a conflict of two edits of `field`.
    public init(field: String, earlier: FieldEdit, later: FieldEdit, kept: Kept, overlaps: [TextOverlap] = []) {
        self.field = field
        self.earlier = earlier
        self.later = later
        self.kept = kept
        self.overlaps = overlaps
    }
}
