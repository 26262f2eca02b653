public import Foundation
public import Records

/// The value of a field as views show it. States contain its text, and whether the field's values are days or times.
/// New cases may be added.
public enum ShownValue: Sendable, Equatable {
    /// A text, as it is.
    case text(String)
    /// A day or a time.
    case date(DateValue)

    /// Creates the value from a text in a state.
    ///
    /// - Parameter isMoment: Whether the field's values are days or times. Any other text is shown as it is.
    init(_ text: String, isMoment: Bool) {
        let date = isMoment ? DateValue(text) : nil
        self = date.map { .date($0) } ?? .text(text)
    }

    /// Returns the text, the day as `2026-12-24`, or the time as `format` writes it.
    public func text(_ format: (Date) -> String) -> String {
        switch self {
        case .text(let text): text
        case .date(.day(let day)): day.description
        case .date(.time(let time)): format(time.date)
        }
    }
}
