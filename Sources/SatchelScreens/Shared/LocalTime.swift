import Foundation
import Records

/// Moments as people read them: in their own time zone, in the calendar of the dates they type.
enum LocalTime {
    /// `2026-11-21`, with the time where it isn't midnight; the text itself if it is no RFC 3339.
    ///
    /// - Parameter withSeconds: Whether the time is given to the second, also at midnight.
    static func short(_ text: String, withSeconds: Bool = false, in calendar: Calendar = person) -> String {
        guard let (day, time) = parts(text, calendar, withSeconds: withSeconds) else { return text }
        return time == "00:00" ? day : "\(day) \(time)"
    }

    /// `2026-11-21`; the text itself if it is no RFC 3339.
    static func day(_ text: String, in calendar: Calendar = person) -> String { parts(text, calendar)?.day ?? text }

    private static let person = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .current
        return calendar
    }()

    /// With and without fractions of a second: a server's moments have them, a record's haven't.
    private static let forms = [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)]

    private static func parts(
        _ text: String, _ calendar: Calendar, withSeconds: Bool = false
    ) -> (day: String, time: String)? {
        guard let date = forms.lazy.compactMap({ try? $0.parse(text) }).first else { return nil }
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        guard let year = parts.year, let month = parts.month, let day = parts.day, let hour = parts.hour,
            let minute = parts.minute, let second = parts.second
        else { return nil }
        let numbers = [year.zeroPadded(to: 4), month.zeroPadded(to: 2), day.zeroPadded(to: 2)]
        let time = [hour, minute] + (withSeconds ? [second] : [])
        return (numbers.joined(separator: "-"), time.map { $0.zeroPadded(to: 2) }.joined(separator: ":"))
    }
}
