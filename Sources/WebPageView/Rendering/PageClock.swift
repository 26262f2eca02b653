public import Foundation

/// Formats times for people, in their time zone and the Gregorian calendar.
public struct PageClock: Sendable {
    /// The present time.
    public let now: Date
    /// The Gregorian calendar with the user's time zone.
    public let calendar: Calendar

    /// Creates a clock that shows this time.
    public init(now: Date, timeZone: TimeZone = .current) {
        self.now = now
        // Not the user's calendar: dates are typed and stored in the Gregorian one.
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        self.calendar = calendar
    }

    /// Formats a date as `Mon 2026-11-23`, with the time unless it is midnight.
    public func long(_ date: Date) -> String {
        let weekday = Self.weekdays[(calendar.component(.weekday, from: date) - 1) % 7]
        return "\(weekday) \(day(of: date))" + time(of: date)
    }

    /// Formats a date as `long` does, but as `today`, `tomorrow` or `yesterday` where that applies.
    public func near(_ date: Date) -> String {
        switch days(until: date) {
        case -1: return "yesterday" + time(of: date)
        case 0: return "today" + time(of: date)
        case 1: return "tomorrow" + time(of: date)
        default: return long(date)
        }
    }

    /// Returns the number of midnights from now until a date; negative for the past.
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
}
