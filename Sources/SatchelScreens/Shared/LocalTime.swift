import Foundation
import Records

/// Times for users: in their time zone, and in the calendar of the dates that they type.
enum LocalTime {
    /// Returns the date, with the time if it isn't midnight: `2026-11-21 15:00`.
    ///
    /// - Parameter withSeconds: Whether to show the time with seconds, also at midnight.
    static func short(_ date: Date, withSeconds: Bool = false, in calendar: Calendar = person) -> String {
        // A day without a time is stored as midnight. With seconds, `time` is never "00:00".
        let (day, time) = parts(date, calendar, withSeconds: withSeconds)
        return time == "00:00" ? day : "\(day) \(time)"
    }

    /// Formats the stored value of a date field as `short` does; returns the text itself if it isn't RFC 3339.
    static func value(_ text: String) -> String { Date(rfc3339: text).map { short($0) } ?? text }

    /// Returns the date: `2026-11-21`.
    static func day(_ date: Date, in calendar: Calendar = person) -> String { parts(date, calendar).day }

    // Gregorian, whatever the system's calendar: dates are typed as in ISO 8601.
    private static let person = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .current
        return calendar
    }()

    private static func parts(
        _ date: Date, _ calendar: Calendar, withSeconds: Bool = false
    ) -> (day: String, time: String) {
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        let day = [(parts.year, 4), (parts.month, 2), (parts.day, 2)].map { ($0 ?? 0).zeroPadded(to: $1) }
        let time = ([parts.hour, parts.minute] + (withSeconds ? [parts.second] : [])).map {
            ($0 ?? 0).zeroPadded(to: 2)
        }
        return (day.joined(separator: "-"), time.joined(separator: ":"))
    }
}
