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

    /// Returns the text, the day as `2026-12-24`, or the time as `format` writes it, followed by the time of day in its
    /// own time zone if clocks there differ: `2026-12-01 11:00 (17:00 Europe/Berlin)`.
    ///
    /// - Parameter timeZone: The time zone in which `format` writes times.
    public func text(in timeZone: TimeZone = SystemTimeZone.current.timeZone, _ format: (Date) -> String) -> String {
        switch self {
        case .text(let text): return text
        case .date(.day(let day)): return day.description
        case .date(.time(let time, let zone)):
            let wallTime = DateValue.time(time, zone: zone).wallTime(ifDifferentFrom: timeZone)
            return format(time.date) + (wallTime.map { " (\($0))" } ?? "")
        }
    }
}
