/// The part of a list in its default order to which a record belongs. The records of a section are adjacent there. New cases
/// may be added.
public enum RecordSection: Sendable, Hashable {
    /// Records that are closed.
    case closed
    /// Open records with a deadline on these days.
    case due(Horizon.Day)
    /// Open records without a deadline, of a type that declares one.
    case noDate
    /// The records of a type without a deadline, by its collection.
    case collection(String)

    /// Determines the section of a record.
    ///
    /// - Parameters:
    ///   - fields: The record's fields.
    ///   - type: The record's type.
    ///   - horizon: The days ahead.
    public init(_ fields: JSONObject, of type: RecordType, _ horizon: Horizon) {
        if type.isClosed(fields) {
            self = .closed
        } else if let deadline = type.deadline {
            self = fields[FieldKey<DateValue>(deadline.name)].map { .due(horizon.day(of: $0)) } ?? .noDate
        } else {
            self = .collection(type.collection)
        }
    }
}
