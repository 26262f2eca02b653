import Foundation
import Records

/// Moments as people read them: in their own time zone, in the calendar of the dates they type.
enum LocalTime {
    /// `2026-11-21`, with the time where it isn't midnight.
    ///
    /// - Parameter withSeconds: Whether the time is given to the second, also at midnight.
    static func short(_ date: Date, withSeconds: Bool = false, in calendar: Calendar = person) -> String {
        let (day, time) = parts(date, calendar, withSeconds: withSeconds)
        return time == "00:00" ? day : "\(day) \(time)"
    }

    /// Formats the stored value of a date field as `short` does; returns the text itself if it isn't RFC 3339.
    static func value(_ text: String) -> String { Date(rfc3339: text).map { short($0) } ?? text }

    /// `2026-11-21`.
    static func day(_ date: Date, in calendar: Calendar = person) -> String { parts(date, calendar).day }

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
