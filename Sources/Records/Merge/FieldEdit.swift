/// What one side holds of a field: its value and when it was edited.
public struct FieldEdit: Sendable, Equatable {
    /// The value; nil if the field is absent, perhaps because it was removed.
    public let value: JSONValue?
    /// When it was edited; nil if that isn't known.
    public let moment: HLC?

    /// An edit of a field.
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
    /// Whether `left` comes first: by clock, an unknown one first; then by content, an absent one first.
    public static func < (left: FieldEdit, right: FieldEdit) -> Bool {
        if left.moment != right.moment { return FieldClocks.later(left.moment, right.moment) == right.moment }
        return left.content.lexicographicallyPrecedes(right.content)
    }

    private var content: String.UTF8View { (value?.canonical ?? "").utf8 }
}
