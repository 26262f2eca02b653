public import Foundation

/// Moments as people read them: in their own time zone, in the calendar of the dates they type.
public struct PageClock: Sendable {
    /// What the time is.
    public let now: Date
    /// The person's calendar and time zone.
    public let calendar: Calendar

    /// A clock that shows this time.
    public init(now: Date, timeZone: TimeZone = .current) {
        self.now = now
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        self.calendar = calendar
    }

    /// `Mon 2026-11-23`, with the time where it isn't midnight.
    public func long(_ date: Date) -> String {
        let weekday = Self.weekdays[(calendar.component(.weekday, from: date) - 1) % 7]
        return "\(weekday) \(day(of: date))" + time(of: date)
    }

    /// As `long`, but `today`, `tomorrow` and `yesterday` are called so.
    public func near(_ date: Date) -> String {
        switch days(until: date) {
        case -1: return "yesterday" + time(of: date)
        case 0: return "today" + time(of: date)
        case 1: return "tomorrow" + time(of: date)
        default: return long(date)
        }
    }

    /// Formats the stored value of a date field as `long` does; returns the text itself if it isn't RFC 3339.
    public func long(value text: String) -> String { date(text).map { long($0) } ?? text }

    /// How many midnights are between now and a moment; negative for the past.
    private func days(until date: Date) -> Int? {
        calendar.dateComponents([.day], from: calendar.startOfDay(for: now), to: calendar.startOfDay(for: date)).day
    }

    private func day(of date: Date) -> String {
        let parts = calendar.dateComponents([.year, .month, .day], from: date)
        return [parts.year, parts.month, parts.day].map { Self.padded($0 ?? 0) }.joined(separator: "-")
    }

    private func time(of date: Date) -> String {
        let parts = calendar.dateComponents([.hour, .minute], from: date)
        let text = [parts.hour, parts.minute].map { Self.padded($0 ?? 0) }.joined(separator: ":")
        return text == "00:00" ? "" : " " + text
    }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]

    /// With and without fractions of a second: a server's moments have them, a record's haven't.
    private func date(_ text: String) -> Date? {
        [Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true)].lazy
            .compactMap { try? $0.parse(text) }.first
    }
}
