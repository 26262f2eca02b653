public import Foundation

/// Times in digits for users: in their time zone, and in the calendar of the dates that they type.
public enum LocalTime {
    /// Returns the calendar in which times of a time zone are typed and shown. It is the Gregorian one, whatever the
    /// system's calendar: dates are typed as in ISO 8601.
    public static func calendar(in timeZone: TimeZone) -> Calendar {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        return calendar
    }

    /// The calendar of the process's time zone.
    public static let systemCalendar = calendar(in: SystemTimeZone.current.timeZone)

    /// The user's calendar, whose week may begin with another day, in the process's time zone.
    public static var userCalendar: Calendar {
        var calendar = Calendar.current
        calendar.timeZone = SystemTimeZone.current.timeZone
        return calendar
    }

    /// Returns the day: `2026-11-21`.
    public static func day(_ date: Date, in calendar: Calendar = systemCalendar) -> String {
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        return [(parts.year, 4), (parts.month, 2), (parts.day, 2)].map { ($0 ?? 0).zeroPadded(to: $1) }
            .joined(separator: "-")
    }

    /// Returns the time of day: `15:00`, or `15:00:30` with seconds.
    public static func time(
        _ date: Date, withSeconds: Bool = false, in calendar: Calendar = systemCalendar
    ) -> String {
        let parts = calendar.dateComponents([.hour, .minute, .second], from: date)
        return ([parts.hour, parts.minute] + (withSeconds ? [parts.second] : [])).map { ($0 ?? 0).zeroPadded(to: 2) }
            .joined(separator: ":")
    }

    /// Returns the day, with the time if it isn't midnight: `2026-11-21 15:00`.
    ///
    /// - Parameter withSeconds: Whether to show the time with seconds, also at midnight.
    public static func short(
        _ date: Date, withSeconds: Bool = false, in calendar: Calendar = systemCalendar
    ) -> String {
        let (day, time) = (Self.day(date, in: calendar), Self.time(date, withSeconds: withSeconds, in: calendar))
        // A day without a time is stored as midnight. With seconds, `time` is never "00:00".
        return time == "00:00" ? day : "\(day) \(time)"
    }
}
