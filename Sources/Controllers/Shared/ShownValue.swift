public import Foundation
public import Records

/// The value of a field as views show it. States contain its text, and whether the field's values are times.
/// New cases may be added.
public enum ShownValue: Sendable, Equatable {
    /// A text, as it is.
    case text(String)
    /// A time.
    case moment(Timestamp)

    /// Creates the value from a text in a state.
    ///
    /// - Parameter isMoment: Whether the field's values are times. A text that isn't RFC 3339 is shown as it is.
    init(_ text: String, isMoment: Bool) {
        let moment = isMoment ? Timestamp(text) : nil
        self = moment.map { .moment($0) } ?? .text(text)
    }

    /// Returns the text, or the time as `format` writes it.
    public func text(_ format: (Date) -> String) -> String {
        switch self {
        case .text(let text): text
        case .moment(let moment): format(moment.date)
        }
    }
}
