public import TextMerge

/// Two edits of a field of which a merge could not keep all in one piece.
public struct FieldConflict: Sendable, Equatable {
    /// The field's name.
    public let field: String
    /// The edit that comes first by clock, then by content.
    public let earlier: FieldEdit
    /// The edit that comes last.
    public let later: FieldEdit
    /// What the merge left in the record.
    public let kept: Kept
    /// The lines in conflict, of a text with both versions; empty if they are unknown.
    public let overlaps: [TextOverlap]

    /// What a merge leaves in the record.
    public enum Kept: String, Sendable {
        /// The later value alone.
        case later
        /// A text with both versions of the lines that overlap, between markers.
        case both
    }

    /// A conflict of two edits of `field`.
    public init(field: String, earlier: FieldEdit, later: FieldEdit, kept: Kept, overlaps: [TextOverlap] = []) {
        self.field = field
        self.earlier = earlier
        self.later = later
        self.kept = kept
        self.overlaps = overlaps
    }
}
